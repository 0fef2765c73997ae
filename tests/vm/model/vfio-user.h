/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One PCI function of the modelled machine over the vfio-user protocol: BAR 0
 * with the device's PMUs, and INTx.
 *
 * The client is not trusted: an invalid message results in an error reply or in
 * the end of its connection.
 */
#ifndef GPMU_TESTS_VFIO_USER_H
#define GPMU_TESTS_VFIO_USER_H

#include "rig.h"

#define VFIO_USER_MAX_MESSAGE	8192
#define VFIO_USER_MAX_FDS	8
#define VFIO_USER_CONFIG_SIZE	256

struct vfio_user {
	struct rig *rig;
	unsigned int device;
	int fd;				/* the connection */
	uint8_t message[VFIO_USER_MAX_MESSAGE];
	size_t received;		/* bytes of it */
	int fds[VFIO_USER_MAX_FDS];	/* descriptors received with it */
	unsigned int fds_len;
	uint8_t config[VFIO_USER_CONFIG_SIZE];
	int irq_fd;			/* eventfd of INTx, or -1 */
	bool is_high, is_latched;	/* the interrupt is asserted */
	bool is_masked;
};

/* Takes over the connection @fd, which must not block. */
void vfio_user_init(struct vfio_user *vu, struct rig *rig, unsigned int device,
		    int fd);
/* Closes the connection and all received descriptors. */
void vfio_user_release(struct vfio_user *vu);

/*
 * Reads and answers all pending messages. Returns 0, -EPIPE after the client disconnected,
 * or another -errno after which the connection is unusable.
 */
int vfio_user_input(struct vfio_user *vu);

/* As rig_ops.interrupt, for this function. */
void vfio_user_interrupt(struct vfio_user *vu, bool is_high, bool is_pulse);

#endif /* GPMU_TESTS_VFIO_USER_H */
