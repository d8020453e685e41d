#include "CLinux.h"
#include <linux/sockios.h>
#include <sys/ioctl.h>

int linux_send_queue_bytes(int descriptor)
{
    int bytes;
    return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}
