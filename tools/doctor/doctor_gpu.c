// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * doctor: GPUs. The plugins cupti and nvml report the GPUs and what prevents counting. For the
 * folder of another machine only files are checked.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "doctor/doctor.h"

#define DRIVER_REMEDY "install NVIDIA's driver for the GPU"

static const char *const library_folders[] = {
	"usr/lib/aarch64-linux-gnu",
	"usr/lib/x86_64-linux-gnu",
	"usr/lib64",
	"usr/lib",
	"usr/local/cuda/lib64",
	"usr/local/cuda/extras/CUPTI/lib64",
	"usr/local/cuda/targets/sbsa-linux/lib",
	"usr/local/cuda/targets/x86_64-linux/lib",
};

/* --- the machine's files --- */

static bool has_display_class(const struct gpmu_pci *pci)
{
	return gpmu_pci_class(pci) >> 16 == 0x03;
}

static bool has_driver(const struct doctor *doctor)
{
	const struct gpmu_pci *pci;

	if (doctor_exists(doctor, "proc/driver/nvidia/version") ||
	    doctor_exists(doctor, "sys/module/nvidia"))
		return true;
	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++) {
		const char *driver = gpmu_pci_driver(pci);

		if (has_display_class(pci) && driver && !strcmp(driver, "nvidia"))
			return true;
	}
	return false;
}

/*
 * A display device without a driver behind a Grace's root port is NVIDIA's: a board's VGA device
 * has a driver.
 */
static const struct gpmu_pci *find_idle_gpu(const struct doctor *doctor)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++)
		if (has_display_class(pci) && !gpmu_pci_driver(pci) && gpmu_pci_root_port(pci) >= 0)
			return pci;
	return NULL;
}

static const struct gpmu_pci *find_pci(const struct doctor *doctor, const char *address)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++)
		if (!strcmp(gpmu_pci_address(pci), address))
			return pci;
	return NULL;
}

/* Finds a library's file without loading it. */
static bool find_library(const struct doctor *doctor, const char *name, char *path, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(library_folders); i++) {
		snprintf(path, size, "%s/%s", library_folders[i], name);
		if (doctor_exists(doctor, path))
			return true;
	}
	return false;
}

static void check_library(struct doctor *doctor, const char *name, const char *remedy,
			  const char *what)
{
	char path[256];

	if (find_library(doctor, name, path, sizeof(path)))
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "/%s", path);
	else
		doctor_find(doctor, LEVEL_WARNING, "GPU", remedy, "%s not found: %s", name,
			    what);
}

static void profiling_remedy(const struct doctor *doctor, char *remedy, size_t size)
{
	snprintf(remedy, size,
		 "echo \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" | sudo tee "
		 "/etc/modprobe.d/nvidia-profiling.conf, then sudo %s and reboot",
		 doctor_initramfs(doctor));
}

static void check_profiling(struct doctor *doctor)
{
	static const char key[] = "RmProfilingAdminOnly:";
	char text[8192], remedy[256];
	const char *line;

	if (!doctor_read(doctor, "proc/driver/nvidia/params", text, sizeof(text)))
		return;
	line = strstr(text, key);
	if (!line)
		return;
	profiling_remedy(doctor, remedy, sizeof(remedy));
	if (strtol(line + strlen(key), NULL, 10) == 0)
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "all users may use its counters");
	else if (doctor->has_sysadmin)
		doctor_find(doctor, LEVEL_OK, "GPU", NULL,
			    "its counters require CAP_SYS_ADMIN, which gpmu has");
	else
		doctor_find(
			doctor, LEVEL_WARNING, "GPU", remedy,
			"its counters require CAP_SYS_ADMIN (NVreg_RestrictProfilingToAdminUsers)");
}

static void check_files(struct doctor *doctor)
{
	char version[64];

	if (doctor_read(doctor, "sys/module/nvidia/version", version, sizeof(version)))
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "NVIDIA's driver %s is loaded", version);
	check_library(doctor, "libcuda.so.1", DRIVER_REMEDY, "programs cannot use the GPU");
	check_library(doctor, "libcupti.so", "install CUDA's package cuda-cupti",
		      "a GPU's own counters cannot be read");
}

/* --- what the plugins answer --- */

static const char *text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* The plugin's answer to "check"; NULL with @error set if there is no such plugin */
static json_t *ask(const char *name, struct gpmu_error *error)
{
	char *spec = print_text("%s=check", name), *text = NULL;
	struct gpmu_source *source = gpmu_source_new(spec, error);
	json_t *answer = NULL;

	free(spec);
	if (!source)
		return NULL;
	if (!gpmu_source_query(source, "check", &text, error)) {
		answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		if (!json_is_array(json_object_get(answer, "gpus")))
			die("plugin %s: its answer to \"check\" has no list of GPUs; install "
			    "plugins of this gpmu's version", name);
	}
	free(text);
	gpmu_source_put(source);
	return answer;
}

/* The GPU's object in doctor->gpus, which is added if it is missing. */
static json_t *gpu_by_uuid(struct doctor *doctor, const char *uuid)
{
	json_t *gpu;
	size_t i;

	json_array_foreach(doctor->gpus, i, gpu)
		if (!strcmp(text_at(gpu, "uuid"), uuid))
			return gpu;
	gpu = json_pack("{s:s}", "uuid", uuid);
	json_array_append_new(doctor->gpus, gpu);
	return gpu;
}

/* Merges the answers of both plugins into one object for each GPU. */
static void collect(struct doctor *doctor, const json_t *answer)
{
	const json_t *gpu;
	size_t i;

	json_array_foreach(json_object_get(answer, "gpus"), i, gpu)
		json_object_update(gpu_by_uuid(doctor, text_at(gpu, "uuid")), (json_t *)gpu);
}

static void find_trouble(struct doctor *doctor, const json_t *trouble, const char *remedy, const char *more)
{
	const char *known = text_at(trouble, "remedy");

	doctor_find(doctor, LEVEL_WARNING, "GPU", known ? known : remedy, "%s%s", text_at(trouble, "text"),
		    more);
}

static void check_nvml(struct doctor *doctor, const json_t *nvml, const struct gpmu_error *error)
{
	const json_t *trouble = json_object_get(nvml, "trouble");

	if (!nvml)
		doctor_find(doctor, LEVEL_WARNING, "GPU", "run make install, which installs "
			"gpmu's plugins", "%s",
			    error->text);
	else if (json_is_object(trouble))
		find_trouble(doctor, trouble, DRIVER_REMEDY, "");
	else
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "NVIDIA's driver %s, for CUDA up to %s",
			    text_at(nvml, "driver"), text_at(nvml, "cuda"));
}

static void check_cupti(struct doctor *doctor, const json_t *cupti, const struct gpmu_error *error)
{
	const json_t *trouble = json_object_get(cupti, "trouble"), *library = json_object_get(cupti, "cupti");

	if (!cupti)
		doctor_find(doctor, LEVEL_WARNING, "GPU", "make install puts gpmu's plugins there", "%s",
			    error->text);
	else if (json_is_object(trouble))
		find_trouble(doctor, trouble, strcmp(text_at(trouble, "kind"), "driver") ? NULL : DRIVER_REMEDY,
			     ": a GPU's own counters cannot be read");
	else
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "CUPTI of CUDA %s, supported by the driver: %s",
			    text_at(library, "cuda"), text_at(library, "path"));
}

/* ", near node 0, root_port=0x200 of nvidia_pcie_pmu_0" */
static void describe_place(const struct doctor *doctor, const json_t *gpu, char *text, size_t size)
{
	const char *address = text_at(gpu, "pci");
	const struct gpmu_pci *pci = address ? find_pci(doctor, address) : NULL;
	const json_t *near = json_object_get(gpu, "node");
	int node = json_is_integer(near) ? (int)json_integer_value(near) : -1, length = 0;

	*text = '\0';
	if (pci && gpmu_pci_node(pci) >= 0)
		node = gpmu_pci_node(pci);
	if (node >= 0)
		length = snprintf(text, size, ", near node %d", node);
	if (pci && gpmu_pci_root_port(pci) >= 0)
		snprintf(text + length, size - (size_t)length, ", root_port=0x%x of %s",
			 1u << gpmu_pci_root_port(pci),
			 gpmu_pci_pmu(pci) ? gpmu_pmu_name(gpmu_pci_pmu(pci)) : "no PMU");
}

static void check_profiler(struct doctor *doctor, const json_t *gpu)
{
	const json_t *trouble = json_object_get(gpu, "trouble");
	const char *uuid = text_at(gpu, "uuid"), *remedy = text_at(trouble, "remedy");
	char profiling[256];

	if (!trouble)
		return;	/* check_cupti() has reported why CUPTI does not see the GPU. */
	if (json_is_null(trouble)) {
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "%s: CUPTI can sample it, as "
			"nvidia_gpu_%d", uuid,
			    (int)json_integer_value(json_object_get(gpu, "index")));
		return;
	}
	if (!strcmp(text_at(trouble, "kind"), "permission")) {
		profiling_remedy(doctor, profiling, sizeof(profiling));
		remedy = profiling;
	}
	doctor_find(doctor, LEVEL_WARNING, "GPU", remedy, "%s: %s%s", uuid, text_at(trouble, "text"),
		    json_is_true(json_object_get(gpu, "gpm")) ? "; NVML counts instead" : "");
}

static void check_each(struct doctor *doctor)
{
	char place[128];
	const json_t *gpu;
	size_t i;

	json_array_foreach(doctor->gpus, i, gpu) {
		const char *name = text_at(gpu, "name"), *chip = text_at(gpu, "chip");
		const char *pci = text_at(gpu, "pci");

		describe_place(doctor, gpu, place, sizeof(place));
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "%s: %s%s%s, %s%s%s", text_at(gpu, "uuid"),
			    name ? name : "a GPU", chip ? ", " : "", chip ? chip : "",
			    pci ? pci : "no address", place,
			    json_is_true(json_object_get(gpu, "mig")) ? ", divided by MIG" : "");
		check_profiler(doctor, gpu);
	}
}

/* Without a driver, libraries and files would report the same; one line is enough. */
static bool has_library(const json_t *nvml, const json_t *cupti)
{
	const char *kind = text_at(json_object_get(nvml, "trouble"), "kind");

	return (nvml && (!kind || strcmp(kind, "library"))) || text_at(cupti, "driver");
}

/* Returns whether there is a driver. Without one it adds no finding. */
static bool check_libraries(struct doctor *doctor)
{
	struct gpmu_error nvml_error = { .size = sizeof(nvml_error) },
			  cupti_error = { .size = sizeof(cupti_error) };
	json_t *nvml = ask("nvml", &nvml_error), *cupti = ask("cupti", &cupti_error);
	bool is_present = has_driver(doctor) || has_library(nvml, cupti);

	if (is_present) {
		check_nvml(doctor, nvml, &nvml_error);
		check_cupti(doctor, cupti, &cupti_error);
		collect(doctor, nvml);
		collect(doctor, cupti);
		check_each(doctor);
	}
	json_decref(nvml);
	json_decref(cupti);
	return is_present;
}

const char *doctor_gpu_at(const struct doctor *doctor, const char *address)
{
	const json_t *gpu;
	size_t i;

	json_array_foreach(doctor->gpus, i, gpu) {
		const char *pci = text_at(gpu, "pci");

		if (pci && !strcmp(pci, address))
			return text_at(gpu, "uuid");
	}
	return NULL;
}

/* GPMU_CUDA names the libraries to ask, also for the folder of another machine. */
void doctor_check_gpus(struct doctor *doctor)
{
	const struct gpmu_pci *idle = find_idle_gpu(doctor);
	const char *folders = secure_getenv("GPMU_CUDA");
	bool has_libraries = doctor->is_here || (folders && *folders), is_present;

	doctor->gpus = json_array();
	/* The plugins' log messages repeat the findings. */
	gpmu_log_set(NULL, NULL);
	is_present = has_libraries ? check_libraries(doctor) : has_driver(doctor);
	if (!is_present && idle) {
		doctor_find(doctor, LEVEL_WARNING, "GPU", DRIVER_REMEDY, "%s has no driver",
			    gpmu_pci_address(idle));
		return;
	}
	if (!is_present) {
		doctor_find(doctor, LEVEL_OK, "GPU", NULL,
			    "no NVIDIA GPU with a driver: CUDA and CUPTI are not needed");
		return;
	}
	if (!has_libraries)
		check_files(doctor);
	check_profiling(doctor);
}
