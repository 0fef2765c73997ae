! SPDX-License-Identifier: LGPL-2.1-or-later
!
! whom pids NUMBER | tids NUMBER | cpus LIST | inherit COMMAND | thread COMMAND
!
! Counts page faults of a process, of a task, on CPUs, or of this thread with or without the
! processes that it starts, while COMMAND runs or for about 0.3 seconds.

program whom
  use, intrinsic :: iso_fortran_env, only: output_unit
  use gpmu
  implicit none

  character(len=*), parameter :: list = 'page-faults'
  type(gpmu_counting) :: counting
  type(gpmu_row), allocatable :: rows(:)
  character(len=192) :: what, argument, message
  integer :: number, stat, i

  call get_command_argument(1, what)
  call get_command_argument(2, argument)
  select case (what)
  case ('pids')
    read (argument, *) number
    call gpmu_open(counting, list, pids=[number], stat=stat, message=message)
  case ('tids')
    read (argument, *) number
    call gpmu_open(counting, list, tids=[number], stat=stat, message=message)
  case ('cpus')
    call gpmu_open(counting, list, cpus=argument, aggregation=gpmu_aggregate_cpu, stat=stat, &
                   message=message)
  case default
    call gpmu_open(counting, list, inherit=what == 'inherit', stat=stat, message=message)
  end select
  if (stat /= 0) then
    write (output_unit, '(2a)') 'whom: ', trim(message)
    stop 1
  end if
  call gpmu_begin(counting, 'command')
  if (what == 'inherit' .or. what == 'thread') then
    call execute_command_line(argument)
  else
    call execute_command_line('sleep 0.3')
  end if
  call gpmu_end(counting, 'command')
  call gpmu_get_rows(counting, 'command', rows)
  do i = 1, size(rows)
    write (output_unit, '(3(i0,1x))') rows(i)%cpu, rows(i)%pid, int(rows(i)%value)
  end do
  call gpmu_close(counting)
end program
