"""Numbers of the durable shell. The output limits are those of domain/run/limits.ts."""

OUTPUT_HEAD_BYTES = 64 * 1024
OUTPUT_TAIL_BYTES = 64 * 1024
# Shown of a command that still runs.
PRINTED_CHARACTERS = 8_000

# Carried state: what a shell may hand to its successor.
STATE_BYTES = 4 * 1024 * 1024

# A shell that has not restored its state by then has been given something that hangs. A busy
# machine needs seconds for it.
READY_SECONDS = 10.0

# After the shell's end, output of what it left behind still counts for this long (`> >(tee log)`).
DRAIN_SECONDS = 0.1

# What is sent to the process tree, and how many seconds after the first signal. The last entry is
# final.
TIMEOUT_SIGNALS = (("SIGTERM", 0.0), ("SIGKILL", 2.0))
INTERRUPT_SIGNALS = (("SIGINT", 0.0), ("SIGTERM", 1.0), ("SIGKILL", 3.0))

# A process tree that is still there this long after its shell's end cannot be killed (it hangs in
# the kernel).
GONE_SECONDS = 10.0

# How often the supervisor looks whether its control directory still exists.
CONTROL_CHECK_SECONDS = 30.0

# The watch over what the agent's files take: how often it looks, how long it holds up the rest,
# what it lets pass beyond the limit (a log line, a cache entry while clearing up), and how many
# files and levels it counts.
WORKSPACE_LOOK_SECONDS = 2.0
WORKSPACE_SLICE_SECONDS = 0.005
WORKSPACE_SLACK_BYTES = 4 * 1024 * 1024
WORKSPACE_ENTRIES = 1_000_000
WORKSPACE_DEPTH = 200

# So long an outcome waits for what the driver says of the GPUs.
GPU_SECONDS = 3.0

# One request line of a client: a script and its envelope.
REQUEST_BYTES = 8 * 1024 * 1024

# One line of the agent's tools; more than a memory in base64, so that one too long is refused in
# words.
TOOL_LINE_BYTES = 64 * 1024

# What the agent adds to its memory: one text, texts per command, all of a sandbox.
MEMORY_BYTES = 16 * 1024
MEMORIES_PER_COMMAND = 32
MEMORY_TOTAL_BYTES = 1024 * 1024

# The tools' note about the open file, and the path in it.
NOTE_BYTES = 64 * 1024
OPEN_FILE_BYTES = 4096

# Execs: at once, and those kept that have only left processes behind; beyond these the oldest is
# let go.
RUNNING_EXECS = 64
EXECS_LEFT_BEHIND = 32
# Streams of all execs that ended; the oldest are dropped.
EXEC_KEPT_BYTES = 256 * 1024 * 1024

# Descriptors that others can make us hold. Beyond these the oldest is closed. Together they stay
# below the numbers that the shell inherits (carried_state.STATE_FD and following); control
# connections and channels to execs are moved above them.
OPEN_LEFTOVER_PIPES = 64
CONTROL_CONNECTIONS = 128
MOVED_UP_TO = 300
TOOL_CONNECTIONS = 32
