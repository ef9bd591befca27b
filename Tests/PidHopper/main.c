// Goes on as another process again and again, so that no look at the process table finds it where it was.
#include <errno.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec pause = {0, 300000};
    for (;;) {
        pid_t next = fork();
        if (next > 0) _exit(0);
        // A machine without a number to give has one later.
        if (next < 0 && errno != EAGAIN) return 1;
        nanosleep(&pause, NULL);
    }
}
