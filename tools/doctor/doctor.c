// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu doctor: checks what prevents a machine from counting, and prints remedies. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpmu_json.h"
#include "base/text/gpmu_plural.h"
#include "cmd.h"
#include "doctor/doctor.h"
#include "machine_file.h"
#include "output/table.h"

#define RED    "\033[31m"
#define YELLOW "\033[33m"

static const char *const level_names[LEVELS] = { "ok", "warning", "problem" };

void doctor_find(struct doctor *doctor, enum level level, const char *check, const char *remedy,
		 const char *fmt, ...)
{
	struct finding *finding;
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	doctor->findings = need_memory(
		reallocarray(doctor->findings, doctor->finding_count + 1, sizeof(*doctor->findings)));
	finding = &doctor->findings[doctor->finding_count++];
	*finding = (struct finding){ .level = level, .check = check };
	finding->text = print_text("%s", text);
	finding->remedy = remedy ? print_text("%s", remedy) : NULL;
}

bool doctor_exists(const struct doctor *doctor, const char *path)
{
	char text[1];
	int ret = gpmu_machine_read(doctor->common.machine, path, text, sizeof(text));

	return ret != -ENOENT && ret != -ENOTDIR;
}

bool doctor_read(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	return gpmu_machine_read(doctor->common.machine, path, text, size) >= 0;
}

/* --- options --- */

enum {
	KEY_SAVE = COMMON_KEYS,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct doctor *doctor = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &doctor->common;
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	case 'j':
		doctor->wants_json = true;
		return 0;
	case KEY_SAVE:
		doctor->save = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	OPTION_JSON,
	{ .name = "save", .key = KEY_SAVE, .arg = "FILE",
	  .doc = "save the machine for gpmu eval --machine FILE, instead of "
	  "checking it" },
	{ 0 },
};

static const struct argp_child children[] = { { .argp = &common_argp }, { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Checks what prevents this machine from counting, and prints a remedy for each problem.",
	.children = children,
};

/* --- findings --- */

static void add_finding(struct table *table, const struct doctor *doctor, const struct finding *finding)
{
	static const char *const colors[LEVELS] = { NULL, YELLOW, RED };
	bool wants_color = common_wants_color(&doctor->common, stdout);

	table_colored(table, wants_color ? colors[finding->level] : NULL, level_names[finding->level]);
	table_cell(table, "%s", finding->check);
	table_cell(table, "%s", finding->text);
	if (finding->remedy)
		table_note(table, 2, "-> %s", finding->remedy);
}

static void print_findings_json(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->finding_count; i++) {
		const struct finding *finding = &doctor->findings[i];

		printf("{\"gpmu_doctor\":1,\"check\":\"%s\",\"state\":\"%s\",\"text\":",
		       finding->check, level_names[finding->level]);
		gpmu_json_print(stdout, finding->text);
		printf(",\"remedy\":");
		gpmu_json_print(stdout, finding->remedy);
		printf("}\n");
	}
}

static void print_findings(const struct doctor *doctor)
{
	size_t counts[LEVELS] = { 0 };
	struct table table;

	table_init(&table, stdout, "");
	table_column(&table, NULL, 0, strlen("problem"), 0);
	table_column(&table, NULL, 0, 12, 0);
	table_column(&table, NULL, 0, 0, 0);
	for (size_t i = 0; i < doctor->finding_count; i++) {
		counts[doctor->findings[i].level]++;
		add_finding(&table, doctor, &doctor->findings[i]);
	}
	table_print(&table);
	printf("\n%zu %s, %zu %s\n", counts[LEVEL_PROBLEM], gpmu_plural(counts[LEVEL_PROBLEM], "problem", "problems"),
	       counts[LEVEL_WARNING], gpmu_plural(counts[LEVEL_WARNING], "warning", "warnings"));
}

/* --- devices --- */

static void device_json(const struct doctor *doctor, const struct gpmu_pci *pci)
{
	const struct gpmu_pmu *pmu = gpmu_pci_pmu(pci);
	int port = gpmu_pci_root_port(pci);

	printf("{\"gpmu_doctor\":1,\"check\":\"device\",\"address\":");
	gpmu_json_print(stdout, gpmu_pci_address(pci));
	printf(",\"name\":");
	gpmu_json_print(stdout, gpmu_pci_name(pci));
	printf(",\"class\":\"0x%06x\",\"driver\":", gpmu_pci_class(pci));
	gpmu_json_print(stdout, gpmu_pci_driver(pci));
	printf(",\"root_port_address\":");
	gpmu_json_print(stdout, gpmu_pci_root_port_address(pci));
	printf(",\"gpu\":");
	gpmu_json_print(stdout, doctor_gpu_at(doctor, gpmu_pci_address(pci)));
	if (gpmu_pci_node(pci) >= 0)
		printf(",\"node\":%d", gpmu_pci_node(pci));
	else
		printf(",\"node\":null");
	printf(",\"pmu\":");
	gpmu_json_print(stdout, pmu ? gpmu_pmu_name(pmu) : NULL);
	if (port >= 0)
		printf(",\"root_port\":%d,\"mask\":\"0x%x\"}\n", port, 1u << port);
	else
		printf(",\"root_port\":null,\"mask\":null}\n");
}

static void add_device(struct table *table, const struct gpmu_pci *pci)
{
	const struct gpmu_pmu *pmu = gpmu_pci_pmu(pci);
	const char *name = gpmu_pci_name(pci), *driver = gpmu_pci_driver(pci);
	const char *above = gpmu_pci_root_port_address(pci);
	int node = gpmu_pci_node(pci);

	table_cell(table, "%s", gpmu_pci_address(pci));
	table_cell(table, "%s", name ? name : "-");
	table_cell(table, "%s", driver ? driver : "-");
	if (node >= 0)
		table_cell(table, "%d", node);
	else
		table_cell(table, "-");
	table_cell(table, "%s", above ? above : "-");
	table_cell(table, "%s", pmu ? gpmu_pmu_name(pmu) : "no PMU");
	table_cell(table, "root_port=0x%x", 1u << gpmu_pci_root_port(pci));
}

/* The table has only devices behind a Grace's root ports: others have no filter. */
static void print_devices(const struct doctor *doctor)
{
	static const char *const columns[] = {
		"device", "name", "driver", "node", "root port", "PMU", "filter",
	};
	const struct gpmu_pci *pci;
	struct table table;

	table_init(&table, stdout, "");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(&table, columns[i], 0, 0, 0);
	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++)
		if (gpmu_pci_root_port(pci) >= 0)
			add_device(&table, pci);
	if (table.n)
		putchar('\n');
	if (table.n)
		table_print(&table);
}

static void print_devices_json(const struct doctor *doctor)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++)
		device_json(doctor, pci);
}

static bool is_healthy(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->finding_count; i++)
		if (doctor->findings[i].level == LEVEL_PROBLEM)
			return false;
	return true;
}

static int run(int argc, char **argv)
{
	struct doctor doctor = { .wants_json = false };
	bool can_run;

	common_init(&doctor.common);
	parse_arguments(&argp, argc, argv, 0, &doctor);
	common_open(&doctor.common);
	/* If libgpmu cannot read the PCI devices, it lists none. */
	errno = 0;
	if (!gpmu_machine_pci(doctor.common.machine, 0) && errno)
		die("sys/bus/pci/devices: %s", strerror(errno));
	if (doctor.save) {
		machine_file_save(doctor.common.machine, doctor.save);
		common_release(&doctor.common);
		return EXIT_SUCCESS;
	}
	doctor_look(&doctor);
	doctor_check_driver(&doctor);
	doctor_check_config(&doctor);
	doctor_check_pmus(&doctor);
	doctor_check_permissions(&doctor);
	doctor_check_tools(&doctor);
	doctor_check_gpus(&doctor);
	if (doctor.wants_json) {
		print_findings_json(&doctor);
		print_devices_json(&doctor);
	} else {
		print_findings(&doctor);
		print_devices(&doctor);
	}
	can_run = is_healthy(&doctor);
	for (size_t i = 0; i < doctor.finding_count; i++) {
		free(doctor.findings[i].text);
		free(doctor.findings[i].remedy);
	}
	free(doctor.findings);
	json_decref(doctor.gpus);
	common_release(&doctor.common);
	return can_run ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "check what prevents this machine from counting",
	.run = run,
};
