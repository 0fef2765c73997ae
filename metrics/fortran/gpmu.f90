! SPDX-License-Identifier: LGPL-2.1-or-later
!
! libgpmu for Fortran 2003: a program counts itself or the machine in regions.
!
!   use gpmu
!   type(gpmu_counting) :: c
!   call gpmu_open(c, events='page-faults:u,task-clock:u', stat=stat, message=message)
!   call gpmu_begin(c, 'solve')
!   ...
!   call gpmu_end(c, 'solve')
!   call gpmu_print(c, output_unit)
!   call gpmu_close(c)
!
! Only the thread that opened a gpmu_counting may use it. stat is 0 on success and below 0 on
! failure, for example if the gpmu_counting is not open. Without the argument stat a failure stops
! the program. Trailing blanks in names are ignored.

module gpmu
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  public :: gpmu_counting, gpmu_row
  public :: gpmu_open, gpmu_close, gpmu_begin, gpmu_end, gpmu_regions, gpmu_region
  public :: gpmu_total, gpmu_print, gpmu_text
  public :: gpmu_state_ok, gpmu_state_idle, gpmu_state_not_counted, gpmu_state_not_supported
  public :: gpmu_aggregate_machine, gpmu_aggregate_node, gpmu_aggregate_cpu

  integer(c_int), parameter :: gpmu_state_ok = 0, gpmu_state_idle = 1, gpmu_state_not_counted = 2, &
    gpmu_state_not_supported = 3
  integer(c_int), parameter :: failed = -1
  integer(c_int), parameter :: gpmu_aggregate_machine = 0, gpmu_aggregate_node = 1, &
    gpmu_aggregate_cpu = 2

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
  end type

  type, bind(c) :: c_error
    integer(c_size_t) :: offset
    character(kind=c_char) :: text(192)
  end type

  type, bind(c) :: c_plan_options
    integer(c_size_t) :: size
    integer(c_int) :: no_merge, system_wide
  end type

  type, bind(c) :: c_session_options
    integer(c_size_t) :: size
    integer(c_int) :: system
    type(c_ptr) :: cpus, pids
    integer(c_size_t) :: pid_count
    type(c_ptr) :: tids
    integer(c_size_t) :: tid_count
    integer(c_int) :: inherit, on_exec, aggregation
  end type

  type :: gpmu_counting
    private
    type(c_ptr) :: machine = c_null_ptr, catalog = c_null_ptr, source = c_null_ptr
    type(c_ptr) :: plan = c_null_ptr, session = c_null_ptr
  end type

  interface
    function gpmu_machine_new(root, error) bind(c) result(machine)
      import :: c_ptr, c_error
      type(c_ptr), value :: root
      type(c_error), intent(inout) :: error
      type(c_ptr) :: machine
    end function
    subroutine gpmu_machine_free(machine) bind(c)
      import :: c_ptr
      type(c_ptr), value :: machine
    end subroutine
    function gpmu_catalog_new(paths, error) bind(c) result(catalog)
      import :: c_ptr, c_error
      type(c_ptr), value :: paths
      type(c_error), intent(inout) :: error
      type(c_ptr) :: catalog
    end function
    subroutine gpmu_catalog_free(catalog) bind(c)
      import :: c_ptr
      type(c_ptr), value :: catalog
    end subroutine
    function gpmu_source_new(spec, error) bind(c) result(source)
      import :: c_ptr, c_char, c_error
      character(kind=c_char), intent(in) :: spec(*)
      type(c_error), intent(inout) :: error
      type(c_ptr) :: source
    end function
    subroutine gpmu_source_put(source) bind(c)
      import :: c_ptr
      type(c_ptr), value :: source
    end subroutine
    function gpmu_machine_add_source(machine, source, error) bind(c) result(ret)
      import :: c_ptr, c_error, c_int
      type(c_ptr), value :: machine, source
      type(c_error), intent(inout) :: error
      integer(c_int) :: ret
    end function
    function gpmu_plan_new(machine, catalog, options, error) bind(c) result(plan)
      import :: c_ptr, c_error, c_plan_options
      type(c_ptr), value :: machine, catalog
      type(c_plan_options), intent(in) :: options
      type(c_error), intent(inout) :: error
      type(c_ptr) :: plan
    end function
    subroutine gpmu_plan_free(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    function gpmu_plan_add_metrics(plan, list, error) bind(c) result(ret)
      import :: c_ptr, c_char, c_error, c_int
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: list(*)
      type(c_error), intent(inout) :: error
      integer(c_int) :: ret
    end function
    function gpmu_plan_add_events(plan, list, error) bind(c) result(ret)
      import :: c_ptr, c_char, c_error, c_int
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: list(*)
      type(c_error), intent(inout) :: error
      integer(c_int) :: ret
    end function
    function gpmu_plan_make(plan, error) bind(c) result(ret)
      import :: c_ptr, c_error, c_int
      type(c_ptr), value :: plan
      type(c_error), intent(inout) :: error
      integer(c_int) :: ret
    end function
    function gpmu_session_new(plan, options, error) bind(c) result(session)
      import :: c_ptr, c_error, c_session_options
      type(c_ptr), value :: plan
      type(c_session_options), intent(in) :: options
      type(c_error), intent(inout) :: error
      type(c_ptr) :: session
    end function
    subroutine gpmu_session_free(session) bind(c)
      import :: c_ptr
      type(c_ptr), value :: session
    end subroutine
    function gpmu_session_enable(session) bind(c) result(ret)
      import :: c_ptr, c_int
      type(c_ptr), value :: session
      integer(c_int) :: ret
    end function
    function gpmu_session_total(session, rows, length) bind(c) result(ret)
      import :: c_ptr, c_int, c_size_t
      type(c_ptr), value :: session
      type(c_ptr), intent(out) :: rows
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: ret
    end function
    function c_region_begin(session, name) bind(c, name='gpmu_region_begin') result(ret)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: ret
    end function
    function c_region_end(session, name) bind(c, name='gpmu_region_end') result(ret)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: ret
    end function
    function gpmu_session_region_count(session) bind(c) result(n)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: session
      integer(c_size_t) :: n
    end function
    function c_region_name(session, index) bind(c, name='gpmu_region_name') result(name)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: session
      integer(c_size_t), value :: index
      type(c_ptr) :: name
    end function
    function gpmu_region_visit_count(session, index) bind(c) result(n)
      import :: c_ptr, c_size_t, c_int64_t
      type(c_ptr), value :: session
      integer(c_size_t), value :: index
      integer(c_int64_t) :: n
    end function
    function gpmu_region_rows(session, index, rows, length) bind(c) result(ret)
      import :: c_ptr, c_size_t, c_int
      type(c_ptr), value :: session
      integer(c_size_t), value :: index
      type(c_ptr), intent(out) :: rows
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: ret
    end function
    function c_strerror(errnum) bind(c, name='strerror') result(text)
      import :: c_ptr, c_int
      integer(c_int), value :: errnum
      type(c_ptr) :: text
    end function
    pure function c_strlen(text) bind(c, name='strlen') result(n)
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: n
    end function
  end interface

contains

  ! Returns a text of a row; '' if there is none
  function gpmu_text(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: chars(:)
    integer :: i, n

    if (.not. c_associated(text)) then
      string = ''
      return
    end if
    n = int(c_strlen(text))
    call c_f_pointer(text, chars, [n])
    allocate (character(len=n) :: string)
    do i = 1, n
      string(i:i) = chars(i)
    end do
  end function

  ! Opens and enables a counting. metrics and events are lists in the syntax of perf's options -M
  ! and -e. source is a source, 'model=steady.scenario'. The target is the machine (system), some
  ! of its CPUs (cpus='0-3,8'), processes and tasks (pids, tids), or by default the calling
  ! thread. With inherit, processes and threads that the tasks start later are counted too. An open
  ! @counting is closed first. After an error there is nothing to close.
  subroutine gpmu_open(counting, metrics, events, source, system, aggregation, stat, message, &
                       cpus, pids, tids, inherit)
    type(gpmu_counting), intent(inout) :: counting
    character(len=*), intent(in), optional :: metrics, events, source
    logical, intent(in), optional :: system, inherit
    integer(c_int), intent(in), optional :: aggregation
    integer, intent(out), optional :: stat
    character(len=*), intent(out), optional :: message
    character(len=*), intent(in), optional :: cpus
    integer(c_int), intent(in), optional :: pids(:), tids(:)
    character(kind=c_char), allocatable, target :: list(:)
    integer(c_int), allocatable, target :: processes(:), tasks(:)
    type(c_error) :: error
    type(c_plan_options) :: plan
    type(c_session_options) :: options
    character(len=:), allocatable :: why
    integer(c_int) :: ret

    call gpmu_close(counting)
    error%text(1) = c_null_char
    plan = c_plan_options(c_sizeof(plan), 0, 0)
    options = c_session_options(c_sizeof(options), 0, c_null_ptr, c_null_ptr, 0, &
              c_null_ptr, 0, 0, 0, gpmu_aggregate_machine)
    if (present(system)) options%system = merge(1, 0, system)
    if (present(aggregation)) options%aggregation = aggregation
    if (present(inherit)) options%inherit = merge(1, 0, inherit)
    if (present(cpus)) then
      list = transfer(trim(cpus)//c_null_char, list, len_trim(cpus) + 1)
      options%cpus = c_loc(list)
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
    plan%system_wide = max(options%system, merge(1, 0, present(cpus)))

    ret = failed
    counting%machine = gpmu_machine_new(c_null_ptr, error)
    counting%catalog = gpmu_catalog_new(c_null_ptr, error)
    if (c_associated(counting%machine) .and. c_associated(counting%catalog)) ret = 0
    if (present(source) .and. ret == 0) then
      counting%source = gpmu_source_new(trim(source)//c_null_char, error)
      ret = failed
      if (c_associated(counting%source)) &
        ret = gpmu_machine_add_source(counting%machine, counting%source, error)
    end if
    if (ret == 0) then
      counting%plan = gpmu_plan_new(counting%machine, counting%catalog, plan, error)
      if (.not. c_associated(counting%plan)) ret = failed
    end if
    if (present(metrics) .and. ret == 0) &
      ret = gpmu_plan_add_metrics(counting%plan, trim(metrics)//c_null_char, error)
    if (present(events) .and. ret == 0) &
      ret = gpmu_plan_add_events(counting%plan, trim(events)//c_null_char, error)
    if (ret == 0) ret = gpmu_plan_make(counting%plan, error)
    if (ret == 0) then
      counting%session = gpmu_session_new(counting%plan, options, error)
      if (.not. c_associated(counting%session)) ret = failed
    end if
    why = error_text(error)
    if (ret == 0) then
      ret = gpmu_session_enable(counting%session)
      if (ret /= 0) why = 'it could not be enabled: '//gpmu_text(c_strerror(-ret))
    end if
    if (ret /= 0) call gpmu_close(counting)
    if (present(message)) message = why
    call finish(ret, why//': open', stat)
  end subroutine

  subroutine gpmu_close(counting)
    type(gpmu_counting), intent(inout) :: counting

    call gpmu_session_free(counting%session)
    call gpmu_plan_free(counting%plan)
    call gpmu_source_put(counting%source)
    call gpmu_catalog_free(counting%catalog)
    call gpmu_machine_free(counting%machine)
    counting%session = c_null_ptr
    counting%plan = c_null_ptr
    counting%source = c_null_ptr
    counting%catalog = c_null_ptr
    counting%machine = c_null_ptr
  end subroutine

  subroutine gpmu_begin(counting, name, stat)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    integer(c_int) :: ret

    ret = failed
    if (c_associated(counting%session)) &
      ret = c_region_begin(counting%session, trim(name)//c_null_char)
    call finish(ret, 'begin of region '//name, stat)
  end subroutine

  subroutine gpmu_end(counting, name, stat)
    type(gpmu_counting), intent(in) :: counting
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    integer(c_int) :: ret

    ret = failed
    if (c_associated(counting%session)) &
      ret = c_region_end(counting%session, trim(name)//c_null_char)
    call finish(ret, 'end of region '//name, stat)
  end subroutine

  ! Returns the number of regions; 0 if @counting is not open
  integer function gpmu_regions(counting)
    type(gpmu_counting), intent(in) :: counting

    gpmu_regions = 0
    if (c_associated(counting%session)) &
      gpmu_regions = int(gpmu_session_region_count(counting%session))
  end function

  ! Gets the region with number @index, from 1: its name, number of visits, and rows. The texts of
  ! the rows are valid until the next call that gets rows.
  subroutine gpmu_region(counting, index, name, visits, rows, stat)
    type(gpmu_counting), intent(in) :: counting
    integer, intent(in) :: index
    character(len=:), allocatable, intent(out), optional :: name
    integer(c_int64_t), intent(out), optional :: visits
    type(gpmu_row), allocatable, intent(out), optional :: rows(:)
    integer, intent(out), optional :: stat
    integer(c_size_t) :: number, length
    integer(c_int) :: ret
    type(c_ptr) :: first

    number = int(index - 1, c_size_t)
    ret = failed
    if (c_associated(counting%session)) &
      ret = gpmu_region_rows(counting%session, number, first, length)
    if (ret == 0) then
      if (present(name)) name = gpmu_text(c_region_name(counting%session, number))
      if (present(visits)) visits = gpmu_region_visit_count(counting%session, number)
      if (present(rows)) rows = copy_rows(first, length)
    end if
    call finish(ret, 'rows of a region', stat)
  end subroutine

  ! Gets the rows of all counts since gpmu_open()
  subroutine gpmu_total(counting, rows, stat)
    type(gpmu_counting), intent(in) :: counting
    type(gpmu_row), allocatable, intent(out) :: rows(:)
    integer, intent(out), optional :: stat
    integer(c_size_t) :: length
    integer(c_int) :: ret
    type(c_ptr) :: first

    ret = failed
    if (c_associated(counting%session)) ret = gpmu_session_total(counting%session, first, length)
    if (ret == 0) rows = copy_rows(first, length)
    call finish(ret, 'rows', stat)
  end subroutine

  ! Prints a table with a line for each counter of each region; nothing without regions
  subroutine gpmu_print(counting, unit)
    type(gpmu_counting), intent(in) :: counting
    integer, intent(in) :: unit
    type(gpmu_row), allocatable :: rows(:)
    character(len=:), allocatable :: name
    integer(c_int64_t) :: visits
    integer :: i, k, widest, widest_counter

    widest = len('region')
    widest_counter = len('counter')
    do i = 1, gpmu_regions(counting)
      call gpmu_region(counting, i, name, rows=rows)
      widest = max(widest, len(name))
      do k = 1, size(rows)
        widest_counter = max(widest_counter, len(gpmu_text(rows(k)%name)))
      end do
    end do
    if (gpmu_regions(counting) > 0) &
      write (unit, '(6a)') padded('region', widest), '    visits', '       seconds', '  ', &
        padded('counter', widest_counter), '  value'
    do i = 1, gpmu_regions(counting)
      call gpmu_region(counting, i, name, visits, rows)
      do k = 1, size(rows)
        write (unit, '(a,i10,f14.6,4a)') padded(name, widest), visits, real(rows(k)%time_end, c_double) / 1e9_c_double, '  ', &
          padded(gpmu_text(rows(k)%name), widest_counter), '  ', trim(value_text(rows(k)))
      end do
    end do
  end subroutine

  function padded(text, width)
    character(len=*), intent(in) :: text
    integer, intent(in) :: width
    character(len=width) :: padded

    padded = text
  end function

  function value_text(row) result(text)
    type(gpmu_row), intent(in) :: row
    character(len=:), allocatable :: text
    character(len=24) :: number

    select case (row%state)
    case (gpmu_state_ok)
      if (row%metric == 0 .and. row%value == anint(row%value) .and. row%value < 1d18) then
        write (number, '(i0)') int(row%value, c_int64_t)
      else
        write (number, '(g0.9)') row%value
      end if
      text = trim(adjustl(number))//' '//gpmu_text(row%unit)
    case (gpmu_state_idle)
      text = 'idle'
    case (gpmu_state_not_counted)
      text = '<not counted> '//gpmu_text(row%why)
    case default
      text = '<not supported> '//gpmu_text(row%why)
    end select
  end function

  ! The member size is the distance between rows in bytes.
  function copy_rows(first, length) result(rows)
    type(c_ptr), intent(in) :: first
    integer(c_size_t), intent(in) :: length
    type(gpmu_row), allocatable :: rows(:)
    type(gpmu_row), pointer :: row
    integer(c_intptr_t) :: address
    integer(c_size_t) :: i

    allocate (rows(length))
    address = transfer(first, address)
    do i = 1, length
      call c_f_pointer(transfer(address, first), row)
      rows(i) = row
      address = address + int(row%size, c_intptr_t)
    end do
  end function

  function error_text(error) result(string)
    type(c_error), intent(in) :: error
    character(len=:), allocatable :: string
    integer :: i

    string = ''
    do i = 1, size(error%text)
      if (error%text(i) == c_null_char) exit
      string = string//error%text(i)
    end do
  end function

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
