# SPDX-License-Identifier: LGPL-2.1-or-later
#
# metrics: the traffic model (libgpmu-model.a) and its unit tests.

MODEL_SRC	:= $(wildcard metrics/sources/model/*.c)
MODEL_HDR	:= $(wildcard metrics/sources/model/*.h)
MODEL_OBJ	:= $(MODEL_SRC:%.c=$(B)/%.o)
MODEL_LIB	:= $(B)/libgpmu-model.a
MODEL_CPPFLAGS	:= -D_GNU_SOURCE -Imetrics/sources/model

MODEL_SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer

$(MODEL_OBJ): $(B)/%.o: %.c $(MODEL_HDR) metrics/rules.mk
	@mkdir -p $(@D)
	$(CC) $(MODEL_CPPFLAGS) $(CFLAGS) -fPIC -c -o $@ $<

$(MODEL_LIB): $(MODEL_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

include tests/vm/model/rules.mk
