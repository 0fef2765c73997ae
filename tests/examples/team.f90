! SPDX-License-Identifier: LGPL-2.1-or-later
!
! team [json]: counts the page faults of a region in each thread of an OpenMP team.

program team
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use gpmu
  implicit none

  integer, parameter :: threads = 3, words = 512  ! of 8 bytes, in a page
  type(gpmu_counting) :: counting
  real(8), allocatable :: pages(:, :)
  character(len=192) :: message, format
  integer :: i, stat

  call get_command_argument(1, format)
  call gpmu_open(counting, 'page-faults:u', per_thread=.true., stat=stat, message=message, &
                 format=merge(gpmu_sink_json, gpmu_sink_summary, format == 'json'))
  if (stat /= 0) then
    write (error_unit, '(2a)') 'team: ', trim(message)
    stop 1
  end if
  !$omp parallel do num_threads(threads) schedule(static, 1) private(pages)
  do i = 1, threads
    call gpmu_begin(counting, 'touch')
    allocate (pages(words, 4000*i))
    pages(1, :) = 1
    deallocate (pages)
    call gpmu_end(counting, 'touch')
  end do
  !$omp end parallel do
  if (gpmu_visits(counting, 'touch') /= int(threads, c_int64_t)) stop 2
  call gpmu_print(counting, output_unit)
  call gpmu_close(counting)
end program
