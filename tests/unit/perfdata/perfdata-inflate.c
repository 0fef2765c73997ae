// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records that perf record -z compressed */
#include <errno.h>

#include "perfdata-test.h"

static struct made records, file;

static void reset(void)
{
	records.length = file.length = 0;
}

static void put_compressed(struct made *to, const void *data, size_t size, uint32_t type)
{
	static const char zeros[8];

	begin(to, type, 0);
	if (type == GPMU_PERFDATA_COMPRESSED2)
		put64(to, size);
	put(to, data, size);
	if (type == GPMU_PERFDATA_COMPRESSED2)
		put(to, zeros, -size & 7);
	end(to);
}

/* Compresses @from to records of type @type, each with at most @max bytes, as one stream. */
static void compress_made(struct made *to, const struct made *from, size_t max, uint32_t type)
{
	static uint8_t bytes[MADE_MAX];
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_outBuffer out = { .dst = bytes, .size = sizeof(bytes) };
	ZSTD_inBuffer in = { .src = from->data, .size = from->length };

	ZSTD_initCStream(stream, 1);
	while (in.pos < in.size)
		ZSTD_compressStream(stream, &out, &in);
	ZSTD_flushStream(stream, &out);
	ZSTD_freeCStream(stream);
	for (size_t offset = 0; offset < out.pos; offset += max)
		put_compressed(to, bytes + offset, out.pos - offset < max ? out.pos - offset : max, type);
}

static void test_compressed(uint32_t type, const char *name)
{
	static struct made inner;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	uint64_t samples = 0, right = 0;

	reset();
	inner.length = 0;
	for (uint64_t i = 0; i < 5000; i++)
		put_sample(&inner, 1, i * i * 977, (uint32_t)i, i);
	compress_made(&records, &inner, 1001, type);
	put_comm(&records, "last", 7, 100, 1);
	perfdata = open_records(&file, &records, &error);
	while ((record = next(perfdata)) && record->type == PERF_RECORD_SAMPLE) {
		right += record->sample.ip == samples * samples * 977 && record->time == samples;
		samples++;
	}
	ok(samples == 5000 && right == 5000, "perfdata: records in %s are read, including records that span two of them", name);
	ok(record && record->type == PERF_RECORD_COMM && !strcmp(record->comm, "last"),
	   "perfdata: a record after %s is read, whatever its alignment", name);
	gpmu_perfdata_get_stats(perfdata, &stats);
	is_u64(stats.inner, 5000, "perfdata: statistics count compressed records");
	gpmu_perfdata_free(perfdata);
	records.data[30] ^= 0xff;
	records.length -= 48;
	perfdata = open_records(&file, &records, &error);
	while (gpmu_perfdata_next(perfdata, &record, &error) == 1)
		;
	ok(strstr(error.text, "compressed record") != NULL, "perfdata: damage in %s is refused", name);
	gpmu_perfdata_free(perfdata);
}

/* Reads the samples of test_cut_compressed(). Returns their number, or 0 if one is wrong. */
static uint64_t count_right(struct gpmu_perfdata *perfdata, struct gpmu_error *error)
{
	const struct gpmu_perfdata_record *record;
	uint64_t samples = 0;

	while (gpmu_perfdata_next(perfdata, &record, error) == 1)
		if (record->sample.ip != samples * samples * 977 || record->time != samples++)
			return 0;
	return samples;
}

/* The blocks before a cut or damage in a compressed record are read. zstd's blocks have 128 KiB, 3276 samples. */
static void test_cut_compressed(uint32_t type, const char *name)
{
	enum { BLOCK_SAMPLES = (128 << 10) / 40 };
	static struct made inner;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata *perfdata;
	uint64_t samples;

	reset();
	inner.length = 0;
	for (uint64_t i = 0; i < 5000; i++)
		put_sample(&inner, 1, i * i * 977, (uint32_t)i, i);
	compress_made(&records, &inner, 60000, type);
	gpmu_perfdata_free(open_records(&file, &records, &error));
	perfdata = open_made(&file, file.length - records.length / 10, &error);
	samples = count_right(perfdata, &error);
	ok(samples >= BLOCK_SAMPLES && strstr(error.text, ":256: expected a record, the file ends"),
	   "perfdata: %s that is cut off has the records of the blocks before the cut, then an error", name);
	ok(!gpmu_perfdata_rewind(perfdata, &error) && count_right(perfdata, &error) == samples,
	   "perfdata: %s that is cut off has the same records when it is read again", name);
	gpmu_perfdata_free(perfdata);
	perfdata = open_made(&file, 256 + 12, &error);
	ok(!count_right(perfdata, &error) && strstr(error.text, ":256: expected a record, the file ends"),
	   "perfdata: %s that is cut off at its start is an error", name);
	gpmu_perfdata_free(perfdata);
	memset(file.data + file.length - 3000, 0xff, 3000);
	perfdata = open_made(&file, file.length, &error);
	ok(count_right(perfdata, &error) >= BLOCK_SAMPLES && strstr(error.text, ":256: expected zstd's format"),
	   "perfdata: %s that is damaged has the records of the blocks before the damage, then an error", name);
	gpmu_perfdata_free(perfdata);
}

/* The bytes of an AUX buffer follow its record in the file, not in compressed records. */
static void test_inner(uint32_t type, const char *name)
{
	static struct made inner;
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	reset();
	inner.length = 0;
	if (type == GPMU_PERFDATA_AUXTRACE) {
		put_auxtrace(&inner, 0, 0, 0);
	} else {
		begin(&inner, type, 0);
		end(&inner);
	}
	compress_made(&records, &inner, 60000, GPMU_PERFDATA_COMPRESSED2);
	perfdata = open_records(&file, &records, &error);
	ok(gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL && strstr(error.text, ": expected a record in compressed records"),
	   "perfdata: a record of type %s in compressed records is refused", name);
	gpmu_perfdata_free(perfdata);
}

int main(void)
{
	test_inner(GPMU_PERFDATA_AUXTRACE, "AUXTRACE");
	test_inner(GPMU_PERFDATA_COMPRESSED, "COMPRESSED");
	test_compressed(GPMU_PERFDATA_COMPRESSED, "COMPRESSED");
	test_compressed(GPMU_PERFDATA_COMPRESSED2, "COMPRESSED2");
	test_cut_compressed(GPMU_PERFDATA_COMPRESSED, "COMPRESSED");
	test_cut_compressed(GPMU_PERFDATA_COMPRESSED2, "COMPRESSED2");
	return done_testing();
}
