#include "evidence/foreign.h"

#include <string.h>

#define RUN_IPERF3 "run iperf3 -c HOST -J"
#define OTHER_SYSTEM "bdp knows the settings of Linux only: give sysctl -a of a Linux host"

/* The first row that is found decides. */
static const struct foreign tools[] = {
    {"\nLIMIT       ", "a report of bdp's own", "give it what that report was made from"},
    {"MIGRATED TCP ", "output of netperf", RUN_IPERF3},
    {"TCP STREAM TEST", "output of netperf", RUN_IPERF3},
    {" %TX ", "output of nuttcp", RUN_IPERF3},
    {" sec = ", "output of nuttcp", RUN_IPERF3},
    {"ttcp-t:", "output of ttcp", RUN_IPERF3},
    {"ttcp-r:", "output of ttcp", RUN_IPERF3},
    {"NTTTCP", "output of ntttcp", RUN_IPERF3},
    {"sockperf:", "output of sockperf", RUN_IPERF3},
    {"tcp_bw:", "output of qperf", RUN_IPERF3},
    {"Speedtest by Ookla", "output of speedtest, to a server of its choice", RUN_IPERF3},
    {"speedtest.net", "output of speedtest, to a server of its choice", RUN_IPERF3},
    {"Testing download speed", "output of speedtest, to a server of its choice", RUN_IPERF3},
    {"% Received % Xferd", "output of curl",
	"take ss -tmin on the sender while it runs, or " RUN_IPERF3},
    {" saved [", "output of wget", "take ss -tmin on the sender while it runs, or " RUN_IPERF3},
    {"bytes/sec", "output of rsync", "take ss -tmin on the sender while it runs, or " RUN_IPERF3},
    {" copied, ", "output of dd", "it measures a disk or a pipe; " RUN_IPERF3},
    {"Run status group ", "output of fio", "it measures a disk; " RUN_IPERF3},
    {"fio-", "output of fio", "it measures a disk; " RUN_IPERF3},
    {"traceroute to ", "output of traceroute, which tells nothing of loss",
	"run mtr --report -c 100 HOST, or tracepath HOST"},
    {"Tracing route to ", "output of tracert, which tells nothing of loss",
	"run mtr --report -c 100 HOST, or ping -n 100 HOST"},
    {"xmt/rcv/%loss", "output of fping", "run ping -c 100 HOST"},
    {"Flags [", "output of tcpdump", "take ss -tmin on the sender while it runs"},
    {"Active Internet connections", "output of netstat, which shows no window", "take ss -tmin"},
    {"rxkB/s", "output of sar", RUN_IPERF3},
    {"Ring parameters for", "output of ethtool -g", "ethtool -S DEV shows what was dropped"},
    {"Receive Window Auto-Tuning Level", "output of netsh, on Windows", OTHER_SYSTEM},
    {"AutoTuningLevel", "output of Get-NetTCPSetting, on Windows", OTHER_SYSTEM},
    {"kern.ostype: FreeBSD", "a dump of FreeBSD's settings", OTHER_SYSTEM},
    {"kern.ostype: Darwin", "a dump of macOS's settings", OTHER_SYSTEM},
    {"kern.ostype", "a dump of another system's settings", OTHER_SYSTEM},
    {"net.inet.tcp.", "a dump of FreeBSD's or macOS's settings", OTHER_SYSTEM},
    {"net.inet.", "a dump of another system's settings", OTHER_SYSTEM},
};

const struct foreign *foreign_find(const char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (memmem(bytes, length, tools[i].mark, strlen(tools[i].mark)) != NULL)
			return &tools[i];
	return NULL;
}
