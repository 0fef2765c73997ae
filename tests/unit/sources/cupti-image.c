// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of samples: an image of an H200 is saved and loaded, and the plugin evaluates it to CUPTI's values on the H200.
 * Damaged files are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cupti-test.h"
#include "cupti_image.h"
#include "gpmu-source.h"

#define IMAGE	"tests/data/gpu/pm_small.bin"
#define SIZE	241612
#define MS	1000000ull
#define T0	70000000000ull	/* begin of the first sample */
#define START	5000000123ull	/* begin of counting */
#define SAMPLES	30

static const struct gpmu_source_plugin *plugin = &gpmu_source_plugin;

static const char *const names[] = { "dram__bytes_read.sum", "dram__bytes_write.sum",
				     "gr__cycles_active.avg.pct_of_peak_sustained_elapsed" };

static char folder[] = "/tmp/cupti-image-XXXXXX";
static char path[64];

static void test_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/*
 * Saves an image with a gap of 5 ms after the tenth sample. Its last page is also in the empty image, so the file lacks
 * it.
 */
static void save(const uint8_t *image, uint8_t *empty, int cuda)
{
	struct gpu gpu = { .uuid = "GPU-6f2a1c00-0001-4a00-8000-000000000001", .name = "NVIDIA H200",
			   .chip = "GH100", .pci = "0000:18:00.0", .index = 3 };
	struct saver_run run = { .gpu = &gpu, .names = names, .length = 3, .interval = MS, .config = image,
				 .config_size = 100, .empty = empty, .image_size = SIZE, .cuda = cuda };
	struct gpmu_error error = { .size = sizeof(error) };
	struct sample_time times[SAMPLES];
	struct messages messages;
	struct saver *saver;
	uint32_t number;

	for (size_t i = 0; i < SAMPLES; i++)
		times[i] = (struct sample_time){ T0 + i * MS + (i >= 10) * 5 * MS,
						 T0 + (i + 1) * MS + (i >= 10) * 5 * MS };
	memcpy(empty + SIZE - 5000, image + SIZE - 5000, 5000);
	messages_init(&messages);
	ok(!saver_new(path, &messages, &saver, &error), "image: saver_new() begins a file");
	ok(access(path, F_OK), "image: the file does not exist before it is complete");
	number = saver_run(saver, &run);
	saver_samples(saver, number, image, empty, SIZE, times, SAMPLES);
	saver_close(saver);
	ok(!access(path, R_OK), "image: the file exists after saver_close()");
	ok(!messages_take(&messages), "image: saving a file adds no message");
	messages_release(&messages);
}

static void loaded(const uint8_t *image)
{
	uint8_t *again = malloc(SIZE);
	struct gpmu_error error = { .size = sizeof(error) };
	struct saved saved;

	ok(!saved_load(&saved, path, &error), "image: a saved file is loaded: %s", error.text);
	is_u64(saved.length, 1, "image: the loaded file has one run");
	if (again && saved.length == 1 && saved.runs[0].images_len == 1) {
		const struct saved_run *run = &saved.runs[0];

		is_str(run->gpu.uuid, "GPU-6f2a1c00-0001-4a00-8000-000000000001",
		       "image: a loaded run has its GPU's UUID");
		is_u64(run->gpu.index, 3, "image: a loaded run has its GPU's index");
		is_u64(run->names_len, 3, "image: a loaded run has its metrics");
		is_u64(run->config_size, 100, "image: a loaded run has its configuration");
		is_u64(run->images[0].samples, SAMPLES, "image: a loaded run has its samples");
		is_u64(run->images[0].pages_len, SIZE / IMAGE_PAGE,
		       "image: the file has only pages that differ from the empty image");
		saved_image(run, 0, again);
		ok(!memcmp(again, image, SIZE), "image: the saved image is restored exactly");
	}
	free(again);
	saved_release(&saved);
}

static void *open_file(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char options[80];
	void *source = NULL;

	snprintf(options, sizeof(options), "load=%s", path);
	if (!plugin->open(&source, options, &error))
		return source;
	test_bail(error.text);
	return NULL;
}

static void asked(void *source)
{
	static const double want[] = { 7.08192e+10, 3.59412e+10, 2811.18 };
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *json, *run, *samples, *sample;
	char *answer = NULL;
	size_t i;

	ok(!plugin->query(source, "samples", &answer, &error),
	   "image: the query \"samples\" has an answer: %s", error.text);
	json = answer ? json_loads(answer, 0, NULL) : NULL;
	free(answer);
	run = json_array_get(json, 0);
	is_str(json_string_value(json_object_get(run, "chip")), "GH100",
	       "image: the answer to \"samples\" has the chip");
	samples = json_object_get(run, "samples");
	is_u64(json_array_size(samples), SAMPLES,
	       "image: the answer to \"samples\" has all 30 samples");
	for (size_t k = 0; k < 3; k++) {
		double sum = 0;

		json_array_foreach(samples, i, sample)
			sum += json_real_value(json_array_get(sample, k + 2));
		ok(fabs(sum / want[k] - 1) < 1e-5,
		   "image: the samples of %s add up to %g, want %g", names[k], sum, want[k]);
	}
	is_u64((uint64_t)json_integer_value(json_array_get(json_array_get(samples, 0), 0)), T0,
	       "image: the answer to \"samples\" has their times");
	json_decref(json);
}

/* Counts bytes, a percentage of time, and a metric that was not sampled. */
static void counted(void *source)
{
	static const char *const events[] = { "dram__bytes_read.sum",
		"gr__cycles_active.avg.pct_of_peak_sustained_elapsed", "nvlrx__bytes.sum" };
	const struct gpmu_source_pmu *pmu = plugin->pmu(source, 0);
	struct gpmu_source_event event[3] = { { 0 } };
	struct gpmu_source_count counts[3];
	struct gpmu_error error = { .size = sizeof(error) };
	void *group = NULL;

	is_str(pmu->name, "nvidia_gpu_3", "image: the saved GPU is a PMU");
	is_str(pmu->gpu->uuid, "GPU-6f2a1c00-0001-4a00-8000-000000000001",
	       "image: the PMU has the saved GPU's UUID");
	for (size_t i = 0; i < 3; i++)
		event[i].config = strtoul(plugin->event_find(source, 0, events[i])->terms +
					  strlen("event="), NULL, 16);
	ok(!plugin->group_open(source, 0, event, 3, &group, &error),
	   "image: a group on a saved GPU can be opened");
	ok(!plugin->prepare(source, &error) && !plugin->enable(source, START),
	   "image: counting of saved samples begins at enable");
	ok(!plugin->group_read(source, group, START + 10 * MS, counts),
	   "image: a read within the saved samples succeeds");
	is_u64(counts[0].running, 10 * MS, "image: a read after ten samples has run for 10 ms");
	ok(counts[0].raw > 20000000000 && counts[0].raw < 30000000000,
	   "image: ten samples have about a third of the bytes: %llu",
	   (unsigned long long)counts[0].raw);
	plugin->disable(source, START + 100 * MS);
	plugin->group_read(source, group, START + 100 * MS, counts);
	ok(fabs((double)counts[0].raw / 7.08192e+10 - 1) < 1e-5,
	   "image: all samples have all bytes");
	is_u64(counts[0].enabled, 100 * MS,
	       "image: the gap and the time after the last sample are enabled time");
	is_u64(counts[0].running, SAMPLES * MS,
	       "image: the gap and the time after the last sample are not running time");
	ok(fabs((double)counts[1].raw / (double)counts[1].running - 2811.18 / SAMPLES) < 1e-3,
	   "image: a mean is the samples' mean");
	ok(!counts[2].running && counts[2].why,
	   "image: a metric that was not sampled is not supported: %s",
	   counts[2].why ? counts[2].why : "");
	ok(!counts[0].why && !counts[1].why, "image: metrics that were sampled are supported");
	plugin->group_close(source, group);
}

static void write_file(const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		test_bail(path);
}

/* Loads the file cut off, and with one byte changed, at many offsets. A change may be in padding. */
static void damaged(void)
{
	static uint8_t bytes[4 * SIZE];
	struct gpmu_error error = { .size = sizeof(error) };
	struct saved saved;
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, wrong = 0, silent = 0;

	if (file)
		fclose(file);
	for (size_t cut = 0; cut < size; cut = cut < 1000 ? cut + 7 : cut + 40009) {
		write_file(bytes, cut);
		error.text[0] = '\0';
		wrong += saved_load(&saved, path, &error) == 0;
		silent += !*error.text;
		saved_release(&saved);
	}
	is_u64(wrong, 0, "image: a file that is cut off is refused");
	is_u64(silent, 0, "image: each refusal of a cut file has a message");
	wrong = 0;
	for (size_t offset = 0; offset < size; offset = offset < 1000 ? offset + 3 : offset + 20011) {
		bytes[offset] ^= 0x55;
		write_file(bytes, size);
		wrong += !saved_load(&saved, path, &error) && offset > 16 && offset < 40;
		saved_release(&saved);
		bytes[offset] ^= 0x55;
	}
	is_u64(wrong, 0, "image: a file with a damaged first record is refused");
	bytes[size - 6000] ^= 1;
	write_file(bytes, size);
	ok(saved_load(&saved, path, &error) == -EINVAL && strstr(error.text, "the checksum is wrong"),
	   "image: one changed bit in an image is found: %s", error.text);
	saved_release(&saved);
	write_file((const uint8_t *)"hello", 5);
	ok(saved_load(&saved, path, &error) == -EINVAL && strstr(error.text, "cupti=save="),
	   "image: a file of another format is refused: %s", error.text);
	saved_release(&saved);
	ok(saved_load(&saved, folder, &error) == -EISDIR,
	   "image: a folder is refused: %s", error.text);
	saved_release(&saved);
}

/* A later CUPTI's image may have a format that this CUPTI cannot read. */
static void later(const uint8_t *image, uint8_t *empty)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char options[80];
	void *source = NULL;

	save(image, empty, 99010);
	snprintf(options, sizeof(options), "load=%s", path);
	ok(plugin->open(&source, options, &error) == -EINVAL && strstr(error.text, "with CUPTI of CUDA 99.1"),
	   "image: a file of a later CUPTI is refused: %s", error.text);
}

static void not_saved(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct messages messages;
	struct saver *saver = NULL;

	messages_init(&messages);
	ok(saver_new("/tmp/none/such", &messages, &saver, &error) == -ENOENT,
	   "image: a file in an absent folder is refused: %s", error.text);
	saver_close(saver);
	messages_release(&messages);
}

static void fifo(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct messages messages;
	struct saver *saver;
	struct saved saved;
	struct stat status;
	char bytes[16] = "";
	int reader;

	unlink(path);
	reader = mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_NONBLOCK);
	messages_init(&messages);
	ok(!saver_new(path, &messages, &saver, &error), "image: saver_new() opens a FIFO");
	saver_close(saver);
	ok(read(reader, bytes, sizeof(bytes)) == sizeof(bytes) && !memcmp(bytes, IMAGE_MAGIC, 8) &&
	   !stat(path, &status) && S_ISFIFO(status.st_mode), "image: a FIFO is written in place");
	close(reader);
	messages_release(&messages);
	ok(saved_load(&saved, path, &error) == -EINVAL && strstr(error.text, "not an empty one, a FIFO"),
	   "image: a FIFO is refused without waiting for its writer: %s", error.text);
	saved_release(&saved);
}

int main(void)
{
	static uint8_t image[SIZE], empty[SIZE];
	FILE *file = fopen(IMAGE, "re");
	struct library library;
	void *source;

	if (!mkdtemp(folder))
		test_bail("no temporary folder");
	snprintf(path, sizeof(path), "%s/saved", folder);
	is_u64(file ? fread(image, 1, SIZE, file) : 0, SIZE, IMAGE " has its 241612 bytes");
	if (file)
		fclose(file);
	save(image, empty, 13000);
	loaded(image);
	test_library(&library);
	library_close(&library);
	source = open_file();
	asked(source);
	counted(source);
	plugin->close(source);
	damaged();
	unlink(path);
	later(image, empty);
	not_saved();
	fifo();
	unlink(path);
	rmdir(folder);
	return done_testing();
}
