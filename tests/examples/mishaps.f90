! SPDX-License-Identifier: LGPL-2.1-or-later
!
! mishaps closed | again | enable PLUGIN: calls that a Fortran program makes if it ignores stat.
! PLUGIN is the plugin of tests/unit/plugin/source-fake.c.

program mishaps
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: output_unit
  use gpmu
  implicit none

  type(gpmu_counting) :: counting
  character(len=192) :: what, message
  integer :: stat

  call get_command_argument(1, what)
  select case (what)
  case ('closed')
    call closed()
    call gpmu_open(counting, 'no-such-event', stat=stat)
    if (stat >= 0) stop 2
    call closed()
  case ('again')
    call again()
  case ('enable')
    call not_enabled()
  case default
    stop 1
  end select

contains

  ! Nothing is open: all calls but gpmu_close() fail
  subroutine closed()
    type(gpmu_row), allocatable :: rows(:)
    integer :: stats(4)

    call gpmu_begin(counting, 'a', stats(1))
    call gpmu_end(counting, 'a', stats(2))
    call gpmu_get_rows(counting, 'a', rows, stats(3))
    call gpmu_print(counting, output_unit, stats(4))
    if (any(stats >= 0) .or. allocated(rows)) stop 3
    if (gpmu_region_at(counting, 1) /= '' .or. gpmu_visits(counting, 'a') /= 0) stop 4
    call gpmu_close(counting)
  end subroutine

  ! gpmu_open() closes the counting that was open before
  subroutine again()
    integer :: once, i

    do i = 1, 4
      call gpmu_open(counting, 'page-faults:u', stat=stat, message=message)
      if (stat /= 0) then
        write (output_unit, '(a)') trim(message)
        stop 1
      end if
      if (i == 1) once = open_files()
    end do
    if (open_files() /= once) stop 3
    call gpmu_close(counting)
    if (open_files() >= once) stop 4
  end subroutine

  subroutine not_enabled()
    ! The plugin reads this array; enable() returns element 4.
    integer(c_int), target, volatile :: state(256)
    character(len=20) :: address

    call get_command_argument(2, what)
    state = 0
    state(4) = -5
    write (address, '(z0)') transfer(c_loc(state), 0_c_intptr_t)
    call gpmu_open(counting, 'fake_0/one/', source=trim(what)//'='//address, stat=stat, &
                   message=message)
    write (output_unit, '(a)') trim(message)
    if (stat >= 0 .or. gpmu_region_at(counting, 1) /= '') stop 3
  end subroutine

  integer function open_files()
    character(len=24) :: name
    logical :: there
    integer :: fd

    open_files = 0
    do fd = 0, 255
      write (name, '(a,i0)') '/proc/self/fd/', fd
      inquire (file=name, exist=there)
      if (there) open_files = open_files + 1
    end do
  end function
end program
