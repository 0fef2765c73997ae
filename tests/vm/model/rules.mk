# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The register front end of the traffic model: the vfio-user server, and unit
# tests of it and of the model. Each test is built a second time with
# AddressSanitizer and UndefinedBehaviorSanitizer. Included by metrics/rules.mk.

PMU_MODEL	:= $(B)/tests/vm/pmu-model
RIG_SRC		:= $(addprefix tests/vm/model/,board.c regs.c rig.c control.c vfio-user.c)
RIG_OBJ		:= $(RIG_SRC:%.c=$(B)/%.o)
RIG_CPPFLAGS	:= $(MODEL_CPPFLAGS) -Itests/vm/model -Itests/lib

$(RIG_OBJ) $(B)/tests/vm/model/pmu-model.o: $(B)/%.o: %.c tests/vm/model/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(RIG_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
OBJECTS += $(RIG_OBJ) $(B)/tests/vm/model/pmu-model.o

$(PMU_MODEL): $(B)/tests/vm/model/pmu-model.o $(RIG_OBJ) $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

all: $(MODEL_LIB) $(PMU_MODEL)

# Functions that a test stands in for; those of tests/lib/alloc.h
comma		:= ,
wrap		= $(addprefix -Wl$(comma)--wrap=,$(1))
ALLOC_WRAP	:= malloc calloc realloc reallocarray strdup strndup free newlocale

# Unit tests
MODEL_TESTS	:= flow scenario scenario-fuzz scenario-alloc model model-board \
		   model-coverage model-events model-guide model-server \
		   model-steady regs regs-rig vfio-user
MODEL_TESTS_T	:= $(MODEL_TESTS:%=$(B)/tests/unit/%.t)
MODEL_TESTS_SAN	:= $(MODEL_TESTS:%=$(B)/tests/unit/%-san.t)
MODEL_TESTS_OBJ	:= $(MODEL_TESTS:%=$(B)/tests/unit/%.o)
MODEL_TESTS_SAN_OBJ := $(MODEL_TESTS:%=$(B)/tests/unit/%-san.o)
MODEL_SAN_OBJ	:= $(patsubst %.c,$(B)/san/%.o,$(MODEL_SRC) $(RIG_SRC))
UNIT_TESTS	+= $(MODEL_TESTS_T) $(MODEL_TESTS_SAN)

$(MODEL_SAN_OBJ): $(B)/san/%.o: %.c tests/vm/model/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(RIG_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -fPIC -c -o $@ $<
OBJECTS += $(MODEL_SAN_OBJ)

$(B)/tests/unit/scenario-alloc.t $(B)/tests/unit/scenario-alloc-san.t: \
	private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP))

# Runs the server, in the build at hand
$(B)/tests/unit/model-server.t $(B)/tests/unit/model-server-san.t: $(PMU_MODEL)
$(B)/tests/unit/model-server.o $(B)/tests/unit/model-server-san.o: \
	private TEST_CPPFLAGS := -DSERVER='"$(PMU_MODEL)"'

$(MODEL_TESTS_OBJ): $(B)/%.o: %.c tests/vm/model/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(RIG_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(MODEL_TESTS_SAN_OBJ): $(B)/%-san.o: %.c tests/vm/model/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(RIG_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -c -o $@ $<
OBJECTS += $(MODEL_TESTS_OBJ) $(MODEL_TESTS_SAN_OBJ)

$(MODEL_TESTS_T): %.t: %.o $(RIG_OBJ) $(MODEL_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(MODEL_LIB)

$(MODEL_TESTS_SAN): %.t: %.o $(MODEL_SAN_OBJ)
	$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^)
