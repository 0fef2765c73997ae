! SPDX-License-Identifier: LGPL-2.1-or-later
!
! libgpmu for Fortran 2003: a program counts its regions. man gpmu_measure documents the functions
! of the same names in C.
!
!   use gpmu
!   type(gpmu_counting) :: c
!   call gpmu_open(c, 'GraceMemBW,page-faults:u', stat=stat, message=message)
!   call gpmu_begin(c, 'solve')
!   ...
!   call gpmu_end(c, 'solve')
!   call gpmu_print(c, output_unit)
!   call gpmu_close(c)
!
! Any thread, also of OpenMP, may begin and end regions. stat is 0 on success and below 0 on
! failure, for example if the gpmu_counting is not open. Without the argument stat a failure stops
! the program. Trailing blanks in names are ignored.

module gpmu
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  public :: gpmu_counting, gpmu_row
  public :: gpmu_open, gpmu_close, gpmu_begin, gpmu_end, gpmu_print
  public :: gpmu_region_at, gpmu_visits, gpmu_get_rows, gpmu_text

  integer(c_int), parameter, public :: gpmu_state_ok = 0, gpmu_state_idle = 1, &
    gpmu_state_not_counted = 2, gpmu_state_not_supported = 3
  integer(c_int), parameter, public :: gpmu_aggregate_machine = 0, gpmu_aggregate_node = 1, &
    gpmu_aggregate_cpu = 2, gpmu_aggregate_socket = 3, gpmu_aggregate_die = 4, &
    gpmu_aggregate_core = 5, gpmu_aggregate_thread = 6
  integer(c_int), parameter, public :: gpmu_sink_summary = 0, gpmu_sink_csv = 1, gpmu_sink_json = 2

  ! struct gpmu_row; gpmu_text() converts its texts
  type, bind(c) :: gpmu_row
    integer(c_size_t) :: size
    integer(c_int64_t) :: time_begin, time_end
    integer(c_int) :: metric
    type(c_ptr) :: name, pmu
    integer(c_int) :: scope, node, package, cpu, pid, state, mean
    real(c_double) :: value
    type(c_ptr) :: unit
    real(c_double) :: share
    integer(c_int64_t) :: raw, enabled, running
    integer(c_size_t) :: counters
    integer(c_int) :: alert, runs
    real(c_double) :: deviation
    type(c_ptr) :: why, gpu
    integer(c_int) :: gpu_number
    type(c_ptr) :: source
    integer(c_int) :: die, core, tid
    type(c_ptr) :: comm, cgroup
  end type

  type, bind(c) :: c_error
    integer(c_size_t) :: size = 0, offset = 0
    character(kind=c_char) :: text(192) = c_null_char
  end type

  type, bind(c) :: c_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: sources = c_null_ptr
    integer(c_size_t) :: source_count = 0
    type(c_ptr) :: catalogs = c_null_ptr
    integer(c_size_t) :: catalog_count = 0
    integer(c_int) :: system = 0
    type(c_ptr) :: cpus = c_null_ptr, pids = c_null_ptr
    integer(c_size_t) :: pid_count = 0
    type(c_ptr) :: tids = c_null_ptr
    integer(c_size_t) :: tid_count = 0
    integer(c_int) :: inherit = 0, aggregation = gpmu_aggregate_machine, per_thread = 0, &
      format = gpmu_sink_summary
    type(c_ptr) :: separator = c_null_ptr
  end type

  type :: gpmu_counting
    private
    type(c_ptr) :: gpmu = c_null_ptr
  end type

  interface
    function c_open(list, options, error) bind(c, name='gpmu_open') result(gpmu)
      import :: c_ptr, c_char, c_options, c_error
      character(kind=c_char), intent(in) :: list(*)
      type(c_options), intent(in) :: options
      type(c_error), intent(inout) :: error
      type(c_ptr) :: gpmu
    end function
    subroutine c_close(gpmu) bind(c, name='gpmu_close')
      import :: c_ptr
      type(c_ptr), value :: gpmu
    end subroutine
    function c_begin(gpmu, name) bind(c, name='gpmu_begin') result(ret)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: gpmu
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: ret
    end function
    function c_end(gpmu, name) bind(c, name='gpmu_end') result(ret)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: gpmu
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: ret
    end function
    function c_print(gpmu, file) bind(c, name='gpmu_print') result(ret)
      import :: c_ptr, c_int
      type(c_ptr), value :: gpmu, file
      integer(c_int) :: ret
    end function
    function c_region_at(gpmu, index) bind(c, name='gpmu_region_at') result(name)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: gpmu
      integer(c_size_t), value :: index
      type(c_ptr) :: name
    end function
    function c_visits(gpmu, name) bind(c, name='gpmu_visits') result(n)
      import :: c_ptr, c_char, c_int64_t
      type(c_ptr), value :: gpmu
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t) :: n
    end function
    function c_get_rows(gpmu, name, rows) bind(c, name='gpmu_get_rows') result(ret)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: gpmu
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: rows
      integer(c_int) :: ret
    end function
    function c_rows_at(rows, index) bind(c, name='gpmu_rows_at') result(row)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: rows
      integer(c_size_t), value :: index
      type(c_ptr) :: row
    end function
    function open_memstream(text, size) bind(c) result(file)
      import :: c_ptr
      type(c_ptr), value :: text, size
      type(c_ptr) :: file
    end function
    function fclose(file) bind(c) result(ret)
      import :: c_ptr, c_int
      type(c_ptr), value :: file
      integer(c_int) :: ret
    end function
    subroutine c_free(block) bind(c, name='free')
      import :: c_ptr
      type(c_ptr), value :: block
    end subroutine
    function c_strlen(text) bind(c, name='strlen') result(n)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: n
    end function
  end interface

contains

  ! Returns a text of a row; '' if there is none
  function gpmu_text(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: chars(:)

    if (c_associated(text)) then
      call c_f_pointer(text, chars, [c_strlen(text)])
      allocate (character(len=size(chars)) :: string)
      string = transfer(chars, string)
    else
      string = ''
    end if
  end function

  ! Returns a text that ends with a null character; a variable of it can have a pointer for C
  function c_text(text) result(chars)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: chars(len_trim(text) + 1)

    chars = transfer(trim(text)//c_null_char, chars)
  end function

  ! Opens and starts the counters of a list of metrics and events. source is a plugin that counts,
  ! 'model=steady.scenario'; the other arguments are members of struct gpmu_options. If counting
  ! is open, it is closed first. After an error it is not open.
  subroutine gpmu_open(counting, list, source, system, cpus, pids, tids, inherit, aggregation, &
                       per_thread, format, stat, message)
    type(gpmu_counting), intent(inout) :: counting
    character(len=*), intent(in) :: list
    character(len=*), intent(in), optional :: source, cpus
    logical, intent(in), optional :: system, inherit, per_thread
    integer(c_int), intent(in), optional :: pids(:), tids(:), aggregation, format
    integer, intent(out), optional :: stat
    character(len=*), intent(out), optional :: message
    character(kind=c_char), allocatable, target :: source_text(:), cpus_text(:)
    integer(c_int), allocatable, target :: processes(:), tasks(:)
    type(c_ptr), target :: sources(1)
    type(c_options) :: options
    type(c_error), target :: error
    character(len=:), allocatable :: why

    call gpmu_close(counting)
    options%size = c_sizeof(options)
    error%size = c_sizeof(error)
    if (present(source)) then
      source_text = c_text(source)
      sources(1) = c_loc(source_text)
      options%sources = c_loc(sources)
      options%source_count = 1
    end if
    if (present(cpus)) then
      cpus_text = c_text(cpus)
      options%cpus = c_loc(cpus_text)
    end if
    if (present(pids)) then
      processes = pids
      options%pid_count = size(pids)
      if (size(pids) > 0) options%pids = c_loc(processes)
    end if
    if (present(tids)) then
      tasks = tids
      options%tid_count = size(tids)
      if (size(tids) > 0) options%tids = c_loc(tasks)
    end if
    if (present(system)) options%system = merge(1, 0, system)
    if (present(inherit)) options%inherit = merge(1, 0, inherit)
    if (present(per_thread)) options%per_thread = merge(1, 0, per_thread)
    if (present(aggregation)) options%aggregation = aggregation
    if (present(format)) options%format = format
    counting%gpmu = c_open(trim(list)//c_null_char, options, error)
    why = gpmu_text(c_loc(error%text))
    if (present(message)) message = why
    call finish(merge(0, -1, c_associated(counting%gpmu)), why//': open', stat)
  end subroutine

  subroutine gpmu_close(counting)
    type(gpmu_counting), intent(inout) :: counting

    call c_close(counting%gpmu)
    counting%gpmu = c_null_ptr
  end subroutine

  subroutine gpmu_begin(counting, name, stat)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat

    call finish(c_begin(counting%gpmu, trim(name)//c_null_char), 'begin of region '//name, stat)
  end subroutine

  subroutine gpmu_end(counting, name, stat)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat

    call finish(c_end(counting%gpmu, trim(name)//c_null_char), 'end of region '//name, stat)
  end subroutine

  ! Prints the counts of all regions to a unit, and nothing if there are no regions
  subroutine gpmu_print(counting, unit, stat)
    type(gpmu_counting), intent(in) :: counting
    integer, intent(in) :: unit
    integer, intent(out), optional :: stat
    type(c_ptr), target :: text
    integer(c_size_t), target :: length
    integer(c_int) :: ret
    type(c_ptr) :: file

    ret = -1
    text = c_null_ptr
    file = open_memstream(c_loc(text), c_loc(length))
    if (c_associated(file)) then
      ret = c_print(counting%gpmu, file)
      if (fclose(file) /= 0) ret = -1
      ! The write ends the last line.
      if (ret == 0 .and. length > 0) write (unit, '(a)') without_end(gpmu_text(text))
      call c_free(text)
    end if
    call finish(ret, 'print', stat)
  end subroutine

  function without_end(text) result(string)
    character(len=*), intent(in) :: text
    character(len=len(text) - 1) :: string

    string = text
  end function

  ! Returns the name of region @index, from 1, in the order in which they were first begun; ''
  ! after the last
  function gpmu_region_at(counting, index) result(name)
    type(gpmu_counting), intent(in) :: counting
    integer, intent(in) :: index
    character(len=:), allocatable :: name

    name = gpmu_text(c_region_at(counting%gpmu, int(index - 1, c_size_t)))
  end function

  ! Returns how often all threads have ended a region; 0 if there is no such region
  integer(c_int64_t) function gpmu_visits(counting, name)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name

    gpmu_visits = c_visits(counting%gpmu, trim(name)//c_null_char)
  end function

  ! Gets the rows of a region. Their texts are valid until the next call of gpmu_get_rows() or
  ! gpmu_print().
  subroutine gpmu_get_rows(counting, name, rows, stat)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name
    type(gpmu_row), allocatable, intent(out) :: rows(:)
    integer, intent(out), optional :: stat
    type(gpmu_row), pointer :: row
    integer(c_size_t) :: length, i
    integer(c_int) :: ret
    type(c_ptr) :: list

    ret = c_get_rows(counting%gpmu, trim(name)//c_null_char, list)
    if (ret == 0) then
      length = 0
      do while (c_associated(c_rows_at(list, length)))
        length = length + 1
      end do
      allocate (rows(length))
      do i = 1, length
        call c_f_pointer(c_rows_at(list, i - 1), row)
        rows(i) = row
      end do
    end if
    call finish(ret, 'rows of region '//name, stat)
  end subroutine

  subroutine finish(ret, what, stat)
    integer(c_int), intent(in) :: ret
    character(len=*), intent(in) :: what
    integer, intent(out), optional :: stat

    if (present(stat)) then
      stat = ret
    else if (ret /= 0) then
      write (error_unit, '(3a)') 'gpmu: ', what, ' failed'
      stop 1
    end if
  end subroutine

end module
