/* capture.c: capture files, by libpcap. */
#define _DEFAULT_SOURCE
#include "capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { SNAP_BYTES = 262144, NS_PER_SECOND = 1000000000, PCAPNG_VERSION = 1 };

struct capture {
    pcap_t *pcap;
    const char *path;
};

struct capture *capture_open(const char *path)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    if (pcap == NULL) {
        host_fail("cannot read the capture %s: %s", path, error);
        return NULL;
    }
    int link = pcap_datalink(pcap);
    if (link != DLT_EN10MB) {
        const char *name = pcap_datalink_val_to_name(link);
        host_fail("the capture %s does not hold Ethernet frames but %s", path,
                  name != NULL ? name : "an unknown link type");
        pcap_close(pcap);
        return NULL;
    }
    struct capture *capture = malloc(sizeof *capture);
    if (capture == NULL) {
        host_fail("memory is short");
        pcap_close(pcap);
        return NULL;
    }
    *capture = (struct capture){pcap, path};
    return capture;
}

void capture_close(struct capture *capture)
{
    if (capture == NULL)
        return;
    pcap_close(capture->pcap);
    free(capture);
}

/* The time of a packet in ns since 1970. False when signed 64 bits do not hold it (1970 to 2262), or when
 * the part of a second, which libpcap takes for a signed number, is none.
 *
 * Seconds of pcap files are unsigned 32-bit numbers, which libpcap hands over as signed ones. Those of
 * pcapng files, whose version is 1, have 64 bits. */
static bool read_stamp(pcap_t *pcap, const struct pcap_pkthdr *header, uint64_t *stamp)
{
    bool is_pcap = pcap_major_version(pcap) != PCAPNG_VERSION;
    int64_t seconds = is_pcap ? (uint32_t)header->ts.tv_sec : header->ts.tv_sec;
    int64_t part = header->ts.tv_usec;
    if (seconds < 0 || seconds > INT64_MAX / NS_PER_SECOND || part < 0)
        return false;
    *stamp = (uint64_t)seconds * NS_PER_SECOND + (uint64_t)part;
    return *stamp <= INT64_MAX;
}

int capture_next(struct capture *capture, struct captured *packet)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int status = pcap_next_ex(capture->pcap, &header, &data);
    if (status == PCAP_ERROR_BREAK)
        return 0;
    if (status != 1) {
        host_fail("the capture %s is damaged: %s", capture->path, pcap_geterr(capture->pcap));
        return -1;
    }
    if (!read_stamp(capture->pcap, header, &packet->stamp)) {
        host_fail("the capture %s has a time stamp outside 1970 to 2262", capture->path);
        return -1;
    }
    packet->length = header->caplen;
    packet->data = malloc(packet->length);
    if (packet->data == NULL && packet->length > 0) {
        host_fail("memory is short");
        return -1;
    }
    if (packet->length > 0)
        memcpy(packet->data, data, packet->length);
    return 1;
}

struct capture_writer {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    uint8_t *frame; /* SNAP_BYTES, to join a frame's two parts */
    char path[];
};

static void release_writer(struct capture_writer *writer)
{
    if (writer->dumper != NULL)
        pcap_dump_close(writer->dumper);
    if (writer->pcap != NULL)
        pcap_close(writer->pcap);
    free(writer->frame);
    free(writer);
}

struct capture_writer *capture_create(const char *path)
{
    struct capture_writer *writer = calloc(1, sizeof *writer + strlen(path) + 1);
    if (writer == NULL) {
        host_fail("memory is short");
        return NULL;
    }
    memcpy(writer->path, path, strlen(path) + 1);
    writer->frame = malloc(SNAP_BYTES);
    writer->pcap =
        pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES, PCAP_TSTAMP_PRECISION_NANO);
    if (writer->frame != NULL && writer->pcap != NULL)
        writer->dumper = pcap_dump_open(writer->pcap, path);
    if (writer->dumper != NULL)
        return writer;
    host_fail("cannot write %s: %s", path,
              writer->pcap != NULL ? pcap_geterr(writer->pcap) : "memory is short");
    release_writer(writer);
    return NULL;
}

void capture_write(struct capture_writer *writer, uint64_t stamp, const uint8_t *head,
                   uint32_t head_length, const uint8_t *rest, uint32_t rest_length)
{
    struct pcap_pkthdr header = {
        .ts = {.tv_sec = (time_t)(stamp / NS_PER_SECOND),
               .tv_usec = (suseconds_t)(stamp % NS_PER_SECOND)},
        .caplen = head_length + rest_length,
        .len = head_length + rest_length,
    };
    memcpy(writer->frame, head, head_length);
    if (rest_length > 0)
        memcpy(writer->frame + head_length, rest, rest_length);
    pcap_dump((u_char *)writer->dumper, &header, writer->frame);
}

bool capture_finish(struct capture_writer *writer)
{
    bool is_written =
        pcap_dump_flush(writer->dumper) == 0 && !ferror(pcap_dump_file(writer->dumper));
    if (!is_written)
        host_fail("cannot write %s: %s", writer->path, strerror(errno));
    release_writer(writer);
    return is_written;
}
