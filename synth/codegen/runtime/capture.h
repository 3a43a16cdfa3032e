/* capture.h: packets from and to capture files. The only part that knows libpcap. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct captured {
    uint64_t stamp;  /* ns since 1970 */
    uint32_t length; /* of the bytes that are there */
    uint8_t *data;   /* of exactly that length; who takes it frees it */
};

struct capture;

/* Open a pcap or pcapng file of Ethernet frames; NULL after a message. */
struct capture *capture_open(const char *path);
void capture_close(struct capture *capture);

/* Read the next packet: 1, 0 at the end, -1 after a message. */
int capture_next(struct capture *capture, struct captured *packet);

struct capture_writer;

/* Begin a pcap file with ns stamps; NULL after a message. */
struct capture_writer *capture_create(const char *path);
void capture_write(struct capture_writer *writer, uint64_t stamp, const uint8_t *head,
                   uint32_t head_length, const uint8_t *rest, uint32_t rest_length);

/* Finish the file; false after a message when not all of it could be written. */
bool capture_finish(struct capture_writer *writer);

#endif
