import type { Backend, Isolation, LimitKind, Requested } from '../run/run.js';
import type { TaskNetwork } from '../task/network.js';
import type { LayerRequirements } from '../task/requirements.js';
import type { ToolState } from '../agent/tool-state.js';

/** One container (or local process tree). A new epoch means that the old one was lost. */
export interface SandboxRef {
  runId: string;
  epoch: number;
}

export interface SandboxSpec extends SandboxRef {
  /** Host folder copied into the workspace at creation; the agent owns the copy. */
  starterDir: string;
  /** `workspaceMb`: limit on the agent's files; absent: none. */
  limits: { memoryMb: number; cpus: number; pids: number; workspaceMb?: number };
  network: TaskNetwork;
  /** Additions to the agent's image. */
  layer?: LayerRequirements | null;
  /** Leased device ids; empty: no GPU is visible. */
  gpuDevices: string[];
  /** Exported to every command, besides the sandbox's own variables. */
  environment?: Readonly<Record<string, string>>;
  /** The task's memory records, oldest first; absent: the run has no memory. */
  memory?: readonly string[];
  /** A program plays in this sandbox. */
  program?: SandboxProgram;
  /** Start from these files and this shell instead of the starter's; used at creation. */
  restore?: SandboxRestore;
  /** The step after which `restore` was taken; absent: 0. */
  restoredStep?: number;
}

interface SandboxProgram {
  /** `name==version`, in a layer of the image. */
  pip: readonly string[];
  /** In a layer on top, without what they depend on. */
  pipNoDeps: readonly string[];
  /** Host folder mounted read-only at /opt/program. */
  folder: string | null;
}

/** The supervisor's message (images/agent/durable_shell/snapshot.py). */
export const CANNOT_UNPACK = 'the snapshot could not be unpacked';

/** An archive from `snapshot`, of this or another sandbox. */
export interface ArchiveRestore {
  bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

/** An archive, or the name of a kept disk. */
export type SandboxRestore = ArchiveRestore | { disk: string };

export interface SandboxInfo {
  isolation: Isolation;
  /** Null on the local backend. */
  imageDigest: string | null;
  /** Path as the agent sees it. */
  workspace: string;
  /** False: an existing sandbox of this run and epoch was adopted. */
  created: boolean;
  /** Limit on the agent's files: a file system's size, or a watch that stops commands. */
  workspaceLimit: 'file_system' | 'watched' | null;
  unenforcedLimits: readonly LimitKind[];
}

export interface SandboxCommand {
  /** Number within the run; handing over n twice runs it once. */
  n: number;
  script: string;
  timeLimitSeconds: number;
  /** Stop the command after so long without output. */
  silenceLimitSeconds?: number;
}

/** A program without a shell, beside the durable one; several run at once. */
export interface SandboxExec {
  /**
   * Its name in this sandbox: A-Z a-z 0-9 . _ - (128 at most). It runs once; the same request again
   * re-attaches.
   */
  key: string;
  /** The program is looked up in PATH; its arguments are passed as they are. */
  argv: readonly string[];
  /** At most 32 MiB; absent: /dev/null. */
  stdin?: Uint8Array;
  /** `name`, `uid`, `name:group` or `uid:gid`; absent: the agent. */
  user?: string;
  /** Added to the sandbox's own variables. */
  env?: Readonly<Record<string, string>>;
  /** Absolute, or below the workspace; absent: the workspace. */
  cwd?: string;
  timeLimitSeconds: number;
  /** Kept of the start of each stream, at most 32 MiB; absent: 10 MiB. */
  outputLimitBytes?: number;
}

interface ExecStreamOutput {
  kept: Buffer;
  /** All bytes written, kept or not. */
  bytes: number;
  truncated: boolean;
}

export type ExecResult =
  | {
      kind: 'ended';
      /** 128 + signal when killed; 127: no such program; 126: it, or its folder, cannot be used. */
      exitCode: number;
      /** As `SIGKILL`; null: it exited. */
      signal: string | null;
      timedOut: boolean;
      /** What stopped it with all that it had started. */
      stoppedBy: Exclude<StoppedBy, 'silence'> | null;
      stdout: ExecStreamOutput;
      stderr: ExecStreamOutput;
      ms: number;
    }
  /** Its effects are unknown; the same key runs never again. */
  | { kind: 'lost'; why: string }
  /** Nothing ran. `other_request`: the key belongs to another request. */
  | { kind: 'refused'; reason: 'invalid' | 'other_request' | 'user'; why: string };

/** A running program requests a validation, by its own number, or has ended. */
export type ProgramNews = { kind: 'asked'; number: number } | { kind: 'ended'; outcome: CommandOutcome };

/** `time`, `silence`: limits; `workspace`: its files fill the limit; `interrupt`: on request. */
export type StoppedBy = 'time' | 'silence' | 'workspace' | 'interrupt';

export interface CommandOutcome {
  /** Of the shell (128 + signal when killed); null: the process is gone and left none. */
  exitCode: number | null;
  /** `stoppedBy` names the limit. */
  timedOut: boolean;
  interrupted: boolean;
  stoppedBy: StoppedBy | null;
  /** The sandbox or supervisor died; the effects are unknown. Never rerun silently. */
  lost: boolean;
  /** UTF-8 (bad bytes replaced): head + a line that counts what was cut + tail. */
  output: string;
  /** All bytes written, kept or not. */
  outputBytes: number;
  /** The carried shell state was lost: the next command gets a fresh shell; see `notice`. */
  stateReset: boolean;
  /** The stopped sandbox was restarted before or during the command. */
  restarted?: boolean;
  /** It was restarted because the host had taken its GPUs. */
  gpusLost?: boolean;
  /** Processes that the memory limit killed since the last command; absent: none. */
  memoryKills?: number;
  notice: string | null;
  workingDir: string;
  requested: Requested;
  /** State of the special commands. */
  toolState: ToolState;
  /** Records added to the task's memory, in order. */
  memories: string[];
  /** By the supervisor's monotonic clock. */
  ms: number;
  /** Of the command's shell, as the supervisor sees it. */
  pid: number | null;
}

/** A file taken out of a workspace, as data. */
export interface SubmissionFile {
  path: string;
  bytes: Buffer;
}

export type Collected =
  | { kind: 'files'; files: SubmissionFile[] }
  | { kind: 'missing'; paths: string[] }
  /** Links, devices, FIFOs, directories in place of files, too large. */
  | { kind: 'refused'; reason: string };

/** One line of the proxy's record. */
export interface NetworkReport {
  /** Stable position in this sandbox's record, from 1. */
  n: number;
  /** One request as `CONNECT host:443 allowed …`, or the count of many. */
  detail: string;
}

export interface CollectOptions {
  /** Take every file, at any depth. A folder without files counts as missing. */
  folders?: string[];
  /** May be missing. */
  optional?: string[];
  /** Files and folders together. */
  maxFiles?: number;
  /**
   * Instead of the above: archives of the workspace and, with `besides`, of home and temporary
   * files; see WHOLE. `workdir`: the agent's other name for the workspace.
   */
  whole?: { workdir: string; besides: boolean };
  /** Instead of the above: results of tests that run in the sandbox; see LEFT_BY_TESTS. */
  live?: LiveTests;
}

/** Harbor tests among the agent's own processes. */
export interface LiveTests {
  /** Host folder of the task, with evaluator/tests. */
  taskDir: string;
  workdir: string;
  env: Readonly<Record<string, string>>;
  timeoutSeconds: number;
}

/** Files that `live` returns; empty: the tests left none. */
export const LEFT_BY_TESTS = {
  rewardJson: 'reward.json',
  rewardTxt: 'reward.txt',
  report: 'ctrf.json',
  /** Output of the tests. */
  said: 'said.txt',
} as const;

/** Archives that `whole` returns: tar, all entries owned by root. */
export const WHOLE = { workspace: 'workspace.tar', home: 'home.tar', tmp: 'tmp.tar' } as const;

/** Named copies of sandboxes' disks: snapshots that this host starts without unpacking. */
export interface KeptDisks {
  /**
   * Copy the disk and the shell's carried state; an existing copy stays. Between commands only.
   * Null: not possible here, use an archive. Throws SandboxLost, InfrastructureError.
   */
  keep(ref: SandboxRef, name: string, limits: { maxBytes: number }): Promise<{ bytes: number } | null>;
  /** Does it exist, complete with its base disks? */
  has(name: string): Promise<boolean>;
  /** The archive that `snapshot` would return. The iteration throws if it cannot be completed. */
  archive(name: string, limits: { maxBytes: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Time that a program waits for its model; `source` counts it from 0. */
export interface OffClock {
  source: string;
  /** In all, so that it may be said twice. */
  seconds: number;
  /** It waits now. */
  still: boolean;
}

/** Sandboxes whose program reaches models through a socket of this host. */
export interface ProgramHost {
  /** As SandboxPort's `run`, but also returns at a request to validate: `answer`, run again. */
  run(ref: SandboxRef, command: SandboxCommand, signal: AbortSignal): Promise<ProgramNews>;
  /** Output of `validate` in the sandbox. Harmless if none waits. */
  answer(ref: SandboxRef, number: number, text: string): Promise<void>;
  /** Harmless when it has ended. */
  interrupt(ref: SandboxRef, n: number): Promise<void>;
  /** Takes that time off the clock of command n. Waits for `answer` are off it anyway. */
  waited(ref: SandboxRef, n: number, waited: OffClock): Promise<void>;
  /** Host folder in which the sandbox finds the gateway's socket `sock`. */
  gatewayFolder(ref: SandboxRef): string;
}

/** Where agents live. Every adapter passes test/engine/sandbox-port. */
export interface SandboxPort {
  readonly backend: Backend;
  readonly isolation: Isolation;
  /**
   * Create or adopt the sandbox; a stopped one restarts with its files. Idempotent. Throws
   * InfrastructureError, also if it began after another step.
   */
  start(spec: SandboxSpec): Promise<SandboxInfo>;
  /** `restoredStep` of the sandbox, or of its unfinished start. Null: none, or removed. */
  begunAfter(ref: SandboxRef): Promise<number | null>;
  /**
   * Hand over command n and wait; if n was handed over before, re-attach or read back its outcome.
   * An abort of `signal` ends the wait, not the command.
   * Throws SandboxLost if the sandbox is gone, InfrastructureError if the engine does not answer.
   */
  run(ref: SandboxRef, command: SandboxCommand, signal: AbortSignal): Promise<CommandOutcome>;
  /** Kill command n's process tree; its outcome says interrupted. Harmless when it has ended. */
  interrupt(ref: SandboxRef, n: number): Promise<void>;
  /** End of command n's output so far, some thousand characters; empty if it does not run. */
  printed(ref: SandboxRef, n: number): Promise<string>;
  /**
   * Run a program and wait for its end, or re-attach; processes it leaves behind live on. An abort
   * of `signal` ends the wait, not the program. Throws SandboxLost if the sandbox is gone, and
   * InfrastructureError.
   */
  exec(ref: SandboxRef, exec: SandboxExec, signal: AbortSignal): Promise<ExecResult>;
  /** End an exec's processes, those it left behind included. Harmless if there are none. */
  stopExec(ref: SandboxRef, key: string): Promise<void>;
  /** Copy files out of the workspace: regular files only, no links followed. */
  collect(ref: SandboxRef, files: string[], maxBytes: number, more?: CollectOptions): Promise<Collected>;
  /**
   * One compressed archive of the agent's regular files, directories and links (workspace, home,
   * tmp) and the shell's carried state; equal content gives equal bytes. Between commands only. The
   * iteration throws if it cannot be completed, as when files exceed `maxBytes`.
   */
  snapshot(ref: SandboxRef, limits: { maxBytes: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Absent: sandboxes have no disks of their own here. */
  readonly disks?: KeptDisks;
  /** Absent: this backend has no address that only one run reaches. */
  readonly programs?: ProgramHost;
  /**
   * Pause all processes until `thaw`, so that they cannot signal to a submission under evaluation.
   * False: they keep running. A missing sandbox needs no pause. Idempotent.
   */
  freeze(ref: SandboxRef): Promise<boolean>;
  /** Harmless if not frozen, or gone. */
  thaw(ref: SandboxRef): Promise<void>;
  /** The agent's requests so far, in order. `close`: end its network first, so none is open. */
  networkRequests(ref: SandboxRef, options: { close: boolean }): Promise<NetworkReport[]>;
  /** Idempotent. */
  stop(ref: SandboxRef): Promise<void>;
  /** This home's sandboxes, running or not. */
  list(): Promise<SandboxRef[]>;
}
