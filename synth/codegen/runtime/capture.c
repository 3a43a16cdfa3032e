/* capture.c: capture files, by libpcap. */
#define _DEFAULT_SOURCE
#include "capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { SNAP_BYTES = 262144 };
#define NS_PER_SECOND UINT64_C(1000000000)

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

/* Seconds of pcap files are unsigned 32-bit numbers, which libpcap hands over as signed ones. */
static uint64_t stamp_of(const struct pcap_pkthdr *header)
{
    int64_t seconds = header->ts.tv_sec;
    uint64_t since_1970 = seconds < 0 ? (uint32_t)seconds : (uint64_t)seconds;
    return since_1970 * NS_PER_SECOND + (uint64_t)header->ts.tv_usec;
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
    packet->stamp = stamp_of(header);
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
