# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The register front end of the traffic model: the vfio-user server, and unit tests of it and of the model, with
# AddressSanitizer and UndefinedBehaviorSanitizer, and with LONG=1 also without. Included by metrics/rules.mk.

PMU_MODEL	:= $(B)/tests/vm/pmu-model
RIG_SRC		:= $(addprefix tests/vm/model/,board.c regs.c rig.c control.c vfio-user.c)
RIG_OBJ		:= $(RIG_SRC:%.c=$(B)/%.o)
RIG_CPPFLAGS	:= $(MODEL_CPPFLAGS) -Itests/vm/model -Itests/lib -Itests/unit

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
ALLOC_WRAP	:= malloc calloc realloc reallocarray strdup strndup free newlocale scandir

# Unit tests
MODEL_TESTS	:= flow scenario scenario-fuzz scenario-alloc model model-board \
		   model-coverage model-events model-guide model-server \
		   model-steady regs regs-rig vfio-user
MODEL_TESTS_T	:= $(addsuffix .t,$(call built,$(MODEL_TESTS)))
MODEL_TESTS_SAN	:= $(addsuffix -san.t,$(call built,$(MODEL_TESTS)))
MODEL_TESTS_OBJ	:= $(MODEL_TESTS_T:.t=.o)
MODEL_TESTS_SAN_OBJ := $(MODEL_TESTS_SAN:.t=.o)
MODEL_SAN_OBJ	:= $(patsubst %.c,$(B)/san/%.o,$(MODEL_SRC) $(RIG_SRC))
UNIT_TESTS	+= $(if $(LONG),$(MODEL_TESTS_T)) $(MODEL_TESTS_SAN)

$(MODEL_SAN_OBJ): $(B)/san/%.o: %.c tests/vm/model/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(RIG_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -fPIC -c -o $@ $<
OBJECTS += $(MODEL_SAN_OBJ)

$(call both,scenario-alloc): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP))

# Runs the server, in the build at hand
$(call both,model-server): $(PMU_MODEL)
$(call both_obj,model-server): private TEST_CPPFLAGS := -DSERVER='"$(PMU_MODEL)"'

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
