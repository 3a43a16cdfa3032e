/* dpdk_check.c: what is checked before the EAL starts, since the EAL's own messages are many and
 * late. */
#define _GNU_SOURCE
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpdk_eal.h"
#include "eal.h"

#define HUGEPAGE_DIRECTORY "/sys/kernel/mm/hugepages"

static uint64_t read_number(const char *path)
{
    unsigned long long number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

/* ---- hugepages */

struct hugepages {
    uint64_t free_bytes;
    char sizes[256]; /* "2048 kB: 0 of 0 free" */
};

static void add_size(struct hugepages *pages, const char *directory)
{
    unsigned long long kilobytes;
    char path[PATH_MAX];
    if (sscanf(directory, "hugepages-%llukB", &kilobytes) != 1)
        return;
    snprintf(path, sizeof path, HUGEPAGE_DIRECTORY "/%s/free_hugepages", directory);
    uint64_t free_pages = read_number(path);
    snprintf(path, sizeof path, HUGEPAGE_DIRECTORY "/%s/nr_hugepages", directory);
    uint64_t all = read_number(path);
    pages->free_bytes += free_pages * kilobytes * 1024;
    size_t used = strlen(pages->sizes);
    snprintf(pages->sizes + used, sizeof pages->sizes - used, "%s%llu kB: %llu of %llu free",
             used > 0 ? ", " : "", kilobytes, (unsigned long long)free_pages,
             (unsigned long long)all);
}

static struct hugepages find_hugepages(void)
{
    struct hugepages pages = {0};
    DIR *directory = opendir(HUGEPAGE_DIRECTORY);
    if (directory == NULL)
        return pages;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        add_size(&pages, entry->d_name);
    closedir(directory);
    return pages;
}

static bool is_hugetlbfs_mounted(void)
{
    FILE *mounts = setmntent("/proc/mounts", "r");
    bool is_mounted = false;
    if (mounts == NULL)
        return false;
    for (const struct mntent *entry; !is_mounted && (entry = getmntent(mounts)) != NULL;)
        is_mounted = strcmp(entry->mnt_type, "hugetlbfs") == 0;
    endmntent(mounts);
    return is_mounted;
}

static bool check_hugepages(const struct dpdk_options *options, size_t bytes)
{
    if (eal_has_argument(options->eal_count, options->eal_arguments, "--no-huge"))
        return true;
    struct hugepages pages = find_hugepages();
    size_t needed = bytes >> 20;
    if (pages.free_bytes < bytes)
        return host_fail("%zu MB of hugepages are needed, %llu MB are free (%s). Reserve them: "
                         "echo %zu | sudo tee " HUGEPAGE_DIRECTORY
                         "/hugepages-2048kB/nr_hugepages. Or do without, a bit slower: add "
                         "--no-huge",
                         needed, (unsigned long long)(pages.free_bytes >> 20),
                         pages.sizes[0] != '\0' ? pages.sizes : "the kernel has none",
                         needed / 2 + 1) == 0;
    if (!is_hugetlbfs_mounted() &&
        !eal_has_argument(options->eal_count, options->eal_arguments, "--in-memory"))
        return host_fail("hugetlbfs is not mounted. Mount it: sudo mkdir -p /dev/hugepages && sudo "
                         "mount -t hugetlbfs nodev /dev/hugepages") == 0;
    return true;
}

/* ---- PCI devices */

/* Kernel drivers that leave a device to user space, or share it with DPDK (mlx). */
static bool is_user_space_driver(const char *driver)
{
    static const char *const drivers[] = {"vfio-pci", "uio_pci_generic", "igb_uio", "mlx4_core",
                                          "mlx5_core"};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(driver, drivers[i]) == 0)
            return true;
    return false;
}

static bool check_pci(const char *interface, const char *port)
{
    char path[PATH_MAX], driver[PATH_MAX];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", port);
    if (access(path, F_OK) != 0)
        return host_fail("interface `%s`: there is no PCI device %s; list them: lspci -D",
                         interface, port) == 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/driver", port);
    ssize_t length = readlink(path, driver, sizeof driver - 1);
    driver[length > 0 ? length : 0] = '\0';
    const char *name = basename(driver);
    if (length > 0 && is_user_space_driver(name))
        return true;
    return host_fail("interface `%s`: %s is bound to %s. Hand it to DPDK: sudo dpdk-devbind.py "
                     "--bind=vfio-pci %s",
                     interface, port, length > 0 ? name : "no driver", port) == 0;
}

static bool check_ports(const struct dpdk_options *options)
{
    bool is_good = true;
    for (uint32_t i = 0; i < dpdk_port_count(); i++)
        if (dpdk_is_pci_address(options->ports[i]))
            is_good = check_pci(dpdk_port_purpose(i), options->ports[i]) && is_good;
    return is_good;
}

bool dpdk_check_machine(const struct dpdk_options *options, size_t bytes)
{
    if (!dpdk_check_eal(options) || !host_check_tables(options->table_directory))
        return false;
    bool has_ports = check_ports(options);
    return check_hugepages(options, bytes) && has_ports;
}
