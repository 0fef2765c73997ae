! SPDX-License-Identifier: LGPL-2.1-or-later
!
! heat [LIST]: simulates a rod that cools down, in Fortran, with a region for each phase.

program heat
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use gpmu
  implicit none

  integer, parameter :: n = 500000, steps = 20
  type(gpmu_counting) :: counting
  real(8), allocatable :: now(:), next(:)
  character(len=192) :: message, list
  integer :: i, stat

  list = 'page-faults:u,task-clock:u'
  if (command_argument_count() > 0) call get_command_argument(1, list)
  call gpmu_open(counting, list, stat=stat, message=message)
  if (stat /= 0) then
    write (error_unit, '(2a)') 'heat: ', trim(message)
    stop 1
  end if

  call gpmu_begin(counting, 'fill')
  allocate (now(n), next(n))
  now = 1
  next = 0
  call gpmu_end(counting, 'fill')

  do i = 1, steps
    call gpmu_begin(counting, 'step')
    next(2:n - 1) = now(2:n - 1) + 0.25d0*(now(1:n - 2) - 2*now(2:n - 1) + now(3:n))
    call gpmu_begin(counting, 'copy-for-the-next-step')
    now = next
    call gpmu_end(counting, 'copy-for-the-next-step')
    call gpmu_end(counting, 'step')
  end do

  ! A mistake on purpose: another region was begun last
  call gpmu_begin(counting, 'step')
  call gpmu_end(counting, 'copy-for-the-next-step', stat)
  if (stat == 0) stop 2
  call gpmu_end(counting, 'step')

  call gpmu_print(counting, output_unit)
  call gpmu_close(counting)
  if (.not. sum(now) > 0) stop 3
end program
