# What the JSON documents of one input say, a line for each direction of each test: see
# expect-json.sh for the columns.  Knows iperf3's formats, not this project's reader.

def null_if(condition): if condition then null else . end;
def mean: if length == 0 then null else add / length end;
def positive: if . != null and . > 0 then . else null end;

# Events (--json-stream) put together to a document each; documents as they are.
def documents:
  reduce .[] as $value ({list: [], open: null};
    if $value | has("event") | not then .list += [$value]
    elif $value.event == "start" then .open = {start: $value.data, intervals: []}
    elif $value.event == "interval" then .open.intervals += [$value.data]
    elif $value.event == "error" then .open.error = $value.data
    elif $value.event == "end" then .list += [.open + {end: $value.data}] | .open = null
    else . end)
  | .list;

# The same end's document of the same test twice: the first counts.
def once:
  reduce .[] as $d ([];
    if $d.start.cookie != null and
       any(.[]; .start.cookie == $d.start.cookie and .start.connecting_to == $d.start.connecting_to)
    then . else . + [$d] end);

def is_client: .start.accepted_connection == null;
def has_flags: any(.intervals[].streams[]; has("sender"));
def own_direction: is_client != (.start.test_start.reverse == 1);
def summary: if ((.end // {}).streams // []) | length > 0 then .end.streams else null end;

# Rows of the direction, an interval an array; an interval printed again at once is no other one.
def rows($sends; $flags):
  [.intervals[].streams | map(select(($flags | not) or .sender == $sends)) | select(length > 0)]
  | reduce .[] as $rows ([];
      if length > 0 and (.[-1] | map([.start, .end, .bytes])) == ($rows | map([.start, .end, .bytes]))
      then . else . + [$rows] end);

# Without what the test's end left over: less than a fifth of an interval.
def without_stub:
  if length > 1 and .[-1][0].seconds < 0.2 * (.[:-1] | map(.[0].seconds) | mean)
  then .[:-1] else . end;

def totals($streams; $key):
  if $streams == null then null
  else {bytes: ([$streams[] | .[$key].bytes] | add),
        seconds: ([$streams[] | .[$key] | .end - .start] | max)} end;

def by_rows:
  if length == 0 then null
  else {bytes: (map(map(.bytes) | add) | add), seconds: (.[-1][0].end - .[0][0].start)} end;

def tcp($d; $sends; $streams; $rows; $told; $bidir):
  {sent: (if $streams then totals($streams; "sender") elif $sends then $rows | by_rows else null end),
   received: (if $streams then totals($streams; "receiver")
              elif $sends then null else $rows | by_rows end)}
  # both times of a two-way test are the first stream's
  | if $bidir and ($sends | not) then .received.seconds = ($rows | by_rows | .seconds) else . end
  | if $sends and .received != null and .received.bytes == 0 and ($told | not)
    then .received = null else . end
  | if ($sends | not) and .sent != null and .sent.bytes == 0 and ($told | not)
    then .sent = null else . end
  # what is faster than it was sent is of the warm-up
  | if $sends and (($d.start.test_start.omit // 0) > 0) and .received != null and
       .received.bytes / .received.seconds > .sent.bytes / .sent.seconds
    then .received = null else . end
  | .retransmits =
      (if .sent == null then null
       elif $streams then [$streams[].sender.retransmits] | null_if(any(. == null)) | if . then add else . end
       elif $sends then [$rows[][].retransmits] | add
       else null end);

# Of what the server sends in a two-way test the sums are named otherwise, since 3.11.
def udp($d; $sends; $streams; $rows; $told; $bidir):
  (if $bidir and ($d | is_client) != $sends then "_bidir_reverse" else "" end) as $suffix
  | (if $d.end["sum_received_bidir_reverse"] or ($bidir | not)
     then $d.end["sum_received" + $suffix] else null end) as $sum_received
  | (if $d.end["sum_bidir_reverse"] or ($bidir | not)
     then $d.end["sum" + $suffix] else null end) as $sum
  | ([$streams[]?.udp.lost_packets] | add) as $lost
  | ([$streams[]?.udp.packets] | add) as $packets
  | {sent: (totals($streams; "udp") | if . and .bytes == 0 and ($sends | not) then null else . end),
     received:
       (if $sum_received and $sum_received.bytes > 0
        then {bytes: $sum_received.bytes, seconds: ($sum_received.end - $sum_received.start)}
        elif $sends | not then $rows | by_rows
        elif $told
        then totals($streams; "udp")
             | .bytes *= (1 - $lost / $packets) | .bytes |= round
             | if $sum then .seconds = $sum.end - $sum.start else . end
        else null end),
     lost: (if $told or ($sends | not) then $lost else null end),
     packets: (if $told or ($sends | not) then $packets else null end)};

def direction($d; $sends; $flags; $bidir):
  ($d | summary) as $all
  | (if $all then [$all[] | select(($flags | not) or (.sender // .udp).sender == $sends)]
     else null end) as $streams
  | ($d | rows($sends; $flags)) as $intervals
  | ($intervals | map(select(all(.[]; .omitted | not)))) as $counted
  | ($counted | without_stub) as $kept
  | ($all != null and $d.error == null and ($d | is_client)) as $told
  | ($d.start.test_start.protocol) as $protocol
  | (if $protocol == "UDP" then udp($d; $sends; $streams; $counted; $told; $bidir)
     else tcp($d; $sends; $streams; $counted; $told; $bidir) end)
  | . + {
      role: (if $d | is_client then "client" else "server" end),
      direction: (if $sends then "sends" else "receives" end),
      protocol: $protocol,
      version: ($d.start.version | sub("^iperf "; "")),
      complete: ($all != null and $d.error == null),
      streams: (($intervals[0] // $streams) | length),
      intervals: ($kept | length),
      omitted: (($intervals | length) - ($counted | length)),
      mean_rtt: ($kept | map(map(.rtt | positive | select(. != null)) | mean | select(. != null)) | mean),
      mean_cwnd: ($kept | map(map(.snd_cwnd | positive) | null_if(any(. == null)) | if . then add else . end
                              | select(. != null)) | mean),
      mean_window: ($kept | map(map(.snd_wnd | positive) | null_if(any(. == null)) | if . then add else . end
                              | select(. != null)) | mean),
      # of a two-way test the two are of what the server sends
      sender_cc: (if $bidir and ($d | is_client) == $sends then $d.end.receiver_tcp_congestion
                  else $d.end.sender_tcp_congestion end),
      receiver_cc: (if $bidir and ($d | is_client) == $sends then $d.end.sender_tcp_congestion
                    else $d.end.receiver_tcp_congestion end),
      own_cpu: $d.end.cpu_utilization_percent.host_total,
      other_cpu: (if $d | is_client then $d.end.cpu_utilization_percent.remote_total | positive
                  else null end)};

def runs:
  . as $d
  | has_flags as $flags
  | (if $flags then [true, false] | map(. as $s | select(any($d.intervals[].streams[]; .sender == $s)))
     else [own_direction] end) as $directions
  | $directions[] | direction($d; .; $flags; ($directions | length) > 1);

[inputs] | documents | once
| [.[] | (., .server_output_json // empty) | select((.intervals | length) > 0) | runs]
| if length == 0 then [{}] else . end
| to_entries[]
| (if .value == {} then 0 else .key + 1 end) as $number
| .value as $r
| [$file, $number, $r.role, $r.direction, $r.protocol, $r.version, $r.complete, $r.streams,
   $r.intervals, $r.omitted, $r.sent.bytes, $r.sent.seconds, $r.received.bytes,
   $r.received.seconds, $r.retransmits, $r.lost, $r.packets, $r.mean_rtt, $r.mean_cwnd,
   $r.mean_window, $r.sender_cc, $r.receiver_cc, $r.own_cpu, $r.other_cpu]
| map(if . == null then "-" else tostring end) | join("\t")
