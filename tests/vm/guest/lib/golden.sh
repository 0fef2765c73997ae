# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154 # pmus is gpmu.sh's
#
# The sysfs attributes of a Grace PMU: the golden listing, written by hand from
# those of Linux 7.3's in-tree driver, and the listing of a live PMU in the same
# form, "FILE=CONTENT" sorted by file.

scf_events='
bus_cycles 0x1d
cmem_rd_access 0x1a6
cmem_rd_data 0x1a5
cmem_rd_outstanding 0x1a7
cmem_wb_access 0x1ac
cmem_wb_data 0x1ab
cmem_wr_access 0x1ca
cmem_wr_data 0x1b1
cmem_wr_total_bytes 0x1db
cycles 0x100000000
gmem_rd_access 0x16e
gmem_rd_data 0x16d
gmem_rd_outstanding 0x16f
gmem_wb_access 0x174
gmem_wb_data 0x173
gmem_wr_access 0x17b
gmem_wr_data 0x179
gmem_wr_total_bytes 0x1a0
remote_socket_rd_access 0x1a4
remote_socket_rd_data 0x1a2
remote_socket_rd_outstanding 0x1a3
remote_socket_wr_total_bytes 0x1a1
scf_cache 0xf2
scf_cache_allocate 0xf0
scf_cache_refill 0xf1
scf_cache_wb 0xf3
socket_0_rd_access 0x12d
socket_0_rd_data 0x101
socket_0_rd_outstanding 0x115
socket_0_wb_access 0x135
socket_0_wb_data 0x109
socket_0_wr_access 0x139
socket_0_wr_data 0x17c
socket_1_rd_access 0x12e
socket_1_rd_data 0x102
socket_1_rd_outstanding 0x116
socket_1_wb_access 0x136
socket_1_wb_data 0x10a
socket_1_wr_access 0x13a
socket_1_wr_data 0x17d
socket_2_rd_access 0x12f
socket_2_rd_data 0x103
socket_2_rd_outstanding 0x117
socket_2_wb_access 0x137
socket_2_wb_data 0x10b
socket_2_wr_access 0x13b
socket_2_wr_data 0x17e
socket_3_rd_access 0x130
socket_3_rd_data 0x104
socket_3_rd_outstanding 0x118
socket_3_wb_access 0x138
socket_3_wb_data 0x10c
socket_3_wr_access 0x13c
socket_3_wr_data 0x17f'

link_events='
cycles 0x100000000
rd_bytes_loc 0x0
rd_bytes_rem 0x1
rd_cum_outs_loc 0xc
rd_cum_outs_rem 0xd
rd_req_loc 0x6
rd_req_rem 0x7
total_bytes_loc 0x4
total_bytes_rem 0x5
total_req_loc 0xa
total_req_rem 0xb
wr_bytes_loc 0x2
wr_bytes_rem 0x3
wr_req_loc 0x8
wr_req_rem 0x9'

# golden KIND CPUMASK ASSOCIATED: KIND is scf, pcie, nvlink_c2c0, nvlink_c2c1 or cnvlink
golden() {
	case $1 in
	scf) g_events=$scf_events g_id=2cf0036b g_filter= ;;
	pcie) g_events=$link_events g_id=1030036b g_filter=root_port=config1:0-9 ;;
	nvlink_c2c0) g_events=$link_events g_id=1050036b g_filter=port=config1:0-1 ;;
	nvlink_c2c1) g_events=$link_events g_id=1040036b g_filter=port=config1:0-1 ;;
	cnvlink) g_events=$link_events g_id=1060036b g_filter=rem_socket=config1:0-3 ;;
	esac
	echo "associated_cpus=$3"
	echo "cpumask=$2"
	echo "$g_events" | sed -n 's/\(.*\) \(.*\)/events\/\1=event=\2/p'
	echo "format/event=config:0-32"
	[ -z "$g_filter" ] || echo "format/$g_filter"
	echo "identifier=$g_id"
}

# listing PMU: every file whose content the driver determines, except caps/
listing() {
	(cd "$pmus/$1" && for l_file in *; do
		case $l_file in
		caps | power | subsystem | type | uevent | perf_event_mux_interval_ms) ;;
		events | format)
			for l_entry in "$l_file"/*; do
				echo "$l_entry=$(cat "$l_entry")"
			done
			;;
		*) echo "$l_file=$(cat "$l_file")" ;;
		esac
	done)
}
