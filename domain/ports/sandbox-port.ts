import type { Backend, Isolation, LimitKind, Requested } from '../run/run.js';
import type { TaskNetwork } from '../task/network.js';
import type { LayerRequirements } from '../task/requirements.js';
import type { ToolState } from '../agent/tool-state.js';

/** One container (or local process tree) of one run. A new epoch means: the old one was lost. */
export interface SandboxRef {
  runId: string;
  epoch: number;
}

export interface SandboxSpec extends SandboxRef {
  /** Host folder whose content is copied into the workspace at creation; owned by the agent from then on. */
  starterDir: string;
  /** `workspaceMb`: what the agent's files may take together; absent: no limit. */
  limits: { memoryMb: number; cpus: number; pids: number; workspaceMb?: number };
  network: TaskNetwork;
  /** What the task needs on top of the agent's image; null or absent: nothing. */
  layer?: LayerRequirements | null;
  /** Device ids of the lease; empty: no GPU is visible. */
  gpuDevices: string[];
  /** Exported to every command, besides what the sandbox sets itself. */
  environment?: Readonly<Record<string, string>>;
  /** Records of the task's memory for the agent to read, oldest first; absent: the run has no memory. */
  memory?: readonly string[];
  /** A program plays in this sandbox. */
  program?: SandboxProgram;
  /** Begin with these files and this shell instead of the starter's; used when the sandbox is created. */
  restore?: SandboxRestore;
  /** The step after which `restore` was taken; absent: 0. */
  restoredStep?: number;
}

interface SandboxProgram {
  /** Python packages, `name==version`, in a layer of the image. */
  pip: readonly string[];
  /** Folder of this host, mounted read-only at /opt/program; null: none. */
  folder: string | null;
}

/** What the supervisor says that could not unpack a snapshot (images/agent/durable_shell/snapshot.py). */
export const CANNOT_UNPACK = 'the snapshot could not be unpacked';

/** An archive that `snapshot` gave, of this or another sandbox. */
export interface ArchiveRestore {
  /** Of the archive. */
  bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

/** An archive, or the name of a disk that was kept, where sandboxes have those. */
export type SandboxRestore = ArchiveRestore | { disk: string };

export interface SandboxInfo {
  isolation: Isolation;
  /** Digest of the agent's image, or null on the local backend. */
  imageDigest: string | null;
  /** The workspace as the agent sees it. */
  workspace: string;
  /** False: an existing sandbox of this run and epoch was adopted. */
  created: boolean;
  /** What holds the limit on the agent's files: a file system of that size, a watch that stops commands, or nothing. */
  workspaceLimit: 'file_system' | 'watched' | null;
  /** Limits that are not enforced here. */
  unenforcedLimits: readonly LimitKind[];
}

export interface SandboxCommand {
  /** Number of the command within the run. Handing over n twice runs it once. */
  n: number;
  script: string;
  timeLimitSeconds: number;
  /** Stop the command when it has written nothing for so long. */
  silenceLimitSeconds?: number;
}

/** What a program that runs has come to: it waits for the score of its work, by a number of its own, or has ended. */
export type ProgramNews = { kind: 'asked'; number: number } | { kind: 'ended'; outcome: CommandOutcome };

/** `time`, `silence`: its limits; `workspace`: it filled what its files may take; `interrupt`: someone's wish. */
export type StoppedBy = 'time' | 'silence' | 'workspace' | 'interrupt';

export interface CommandOutcome {
  /** Exit code of the shell (128 + signal when killed); null: unknown, the process is gone and left none. */
  exitCode: number | null;
  /** A limit stopped it; `stoppedBy` says which one. */
  timedOut: boolean;
  interrupted: boolean;
  stoppedBy: StoppedBy | null;
  /** The sandbox or its supervisor died during the command; what it did until then is unknown. Never rerun silently. */
  lost: boolean;
  /** UTF-8 (bad bytes replaced), head + a line that counts what was cut + tail. */
  output: string;
  /** All bytes that the command wrote, kept or not. */
  outputBytes: number;
  /** True: the carried shell state was lost or refused, the next command starts with a fresh shell; `notice` says why. */
  stateReset: boolean;
  /** True: the sandbox had ended, and was started again before or during the command. */
  restarted?: boolean;
  /** Processes that the sandbox's memory limit ended since the command before; absent: none. */
  memoryKills?: number;
  notice: string | null;
  workingDir: string;
  requested: Requested;
  /** What the special commands remember from now on. */
  toolState: ToolState;
  /** What was put into the task's memory, in order. */
  memories: string[];
  /** Milliseconds from start to end, by the supervisor's monotonic clock. */
  ms: number;
  /** Process id of the command's shell as the supervisor sees it. */
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
  /** Links, devices, FIFOs, directories where a file should be, too large. */
  | { kind: 'refused'; reason: string };

/** One line of the proxy's record. */
export interface NetworkReport {
  /** Position in the record of this sandbox, from 1: the same report has the same number every time. */
  n: number;
  /** One request as `CONNECT host:443 allowed …`, or the count of many. */
  detail: string;
}

export interface CollectOptions {
  /** Folders of which every file is taken, at any depth. Missing or without a file: missing. */
  folders?: string[];
  /** Files that may be missing. */
  optional?: string[];
  /** Most files and folders in all. */
  maxFiles?: number;
  /**
   * In place of all that: the workspace as one archive, and with `besides` the agent's home and temporary files as others; see WHOLE.
   * `workdir`: the agent's other name for the workspace.
   */
  whole?: { workdir: string; besides: boolean };
  /** In place of all that: what a task's tests leave that run in the sandbox itself; see LEFT_BY_TESTS. */
  live?: LiveTests;
}

/** Tests of Harbor among the agent's own processes. */
export interface LiveTests {
  /** Host folder of the task, with evaluator/tests. */
  taskDir: string;
  workdir: string;
  env: Readonly<Record<string, string>>;
  timeoutSeconds: number;
}

/** Names of the files that `live` gives; empty: the tests left none. */
export const LEFT_BY_TESTS = {
  rewardJson: 'reward.json',
  rewardTxt: 'reward.txt',
  report: 'ctrf.json',
  /** What they printed. */
  said: 'said.txt',
} as const;

/** Names of the archives that `whole` gives: tar, all entries root's. */
export const WHOLE = { workspace: 'workspace.tar', home: 'home.tar', tmp: 'tmp.tar' } as const;

/**
 * Copies of sandboxes' disks on this host, by name: snapshots that need no archive. Each holds what an archive would, and sandboxes of
 * this host start from it without unpacking anything.
 */
export interface KeptDisks {
  /**
   * Copy what the sandbox's disk holds, and what its shell hands to the next command, under a name; what lies there is left alone.
   * Between commands only. Null: this sandbox cannot be kept so, an archive can be tried. Throws SandboxLost, InfrastructureError.
   */
  keep(ref: SandboxRef, name: string, limits: { maxBytes: number }): Promise<{ bytes: number } | null>;
  /** Is it there, whole, with all that it stands on? */
  has(name: string): Promise<boolean>;
  /** The archive that `snapshot` would have given. The iteration throws if it cannot be completed. */
  archive(name: string, limits: { maxBytes: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Sandboxes in which a program plays, and reaches models through a socket of this host. */
export interface ProgramHost {
  /**
   * As SandboxPort's `run`. It returns also when the program asks for a validation: `answer` it, then ask again.
   */
  run(ref: SandboxRef, command: SandboxCommand, signal: AbortSignal): Promise<ProgramNews>;
  /** What `validate` prints in the sandbox. Harmless if no `validate` waits for it any more. */
  answer(ref: SandboxRef, number: number, text: string): Promise<void>;
  /** Ends it. Harmless when it has ended. */
  interrupt(ref: SandboxRef, n: number): Promise<void>;
  /** Folder of this host that the sandbox finds the gateway's socket in, as `sock`. */
  gatewayFolder(ref: SandboxRef): string;
}

/** Where agents live. Every adapter passes test/engine/sandbox-port. */
export interface SandboxPort {
  readonly backend: Backend;
  readonly isolation: Isolation;
  /**
   * Create the sandbox of (run, epoch), or adopt it if it exists; a stopped one is started again with its files.
   * Idempotent. Throws InfrastructureError, also if it was begun after another step.
   */
  start(spec: SandboxSpec): Promise<SandboxInfo>;
  /** `restoredStep` of the start that made the sandbox, or began to. Null: none has, or it was removed. */
  begunAfter(ref: SandboxRef): Promise<number | null>;
  /**
   * Hand over command n and wait for its end; if n was handed over before, re-attach or read back its outcome.
   * When `signal` aborts, waiting stops and the promise rejects with its reason: the command lives on.
   * Throws SandboxLost if the sandbox is gone, InfrastructureError if the engine does not answer.
   */
  run(ref: SandboxRef, command: SandboxCommand, signal: AbortSignal): Promise<CommandOutcome>;
  /** Kill command n's process tree; its outcome then says interrupted. Harmless when it has ended. */
  interrupt(ref: SandboxRef, n: number): Promise<void>;
  /** What command n has printed so far: its end, of at most some thousand characters; empty if it does not run. */
  printed(ref: SandboxRef, n: number): Promise<string>;
  /** Copy files out of the workspace as data: regular files only, nothing followed. */
  collect(ref: SandboxRef, files: string[], maxBytes: number, more?: CollectOptions): Promise<Collected>;
  /**
   * The agent's files (workspace, home, temporary directory) and what its shell hands to the next command, as one compressed archive.
   * Equal ones give equal bytes. Regular files, directories and links, of the agent's own; whatever else is there is left out. Between
   * commands only. The iteration throws if it cannot be completed, as when the files are longer than `maxBytes` together.
   */
  snapshot(ref: SandboxRef, limits: { maxBytes: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Copies of its sandboxes' disks; absent: sandboxes have none here. */
  readonly disks?: KeptDisks;
  /** Programs that play by themselves; absent: this backend has no address that one run alone reaches. */
  readonly programs?: ProgramHost;
  /**
   * Pause all processes until `thaw`, so that a submission under evaluation cannot signal them. False: they keep running. A missing
   * sandbox needs no pause. Idempotent.
   */
  freeze(ref: SandboxRef): Promise<boolean>;
  /** Resume them. Harmless if they are not frozen, or gone. */
  thaw(ref: SandboxRef): Promise<void>;
  /**
   * The agent's network requests so far, in order; empty where the task allows no named hosts. `close`: end its network first, so that
   * open requests are included.
   */
  networkRequests(ref: SandboxRef, options: { close: boolean }): Promise<NetworkReport[]>;
  /** Remove the sandbox and everything in it. Idempotent. */
  stop(ref: SandboxRef): Promise<void>;
  /** Sandboxes of this home that exist, running or not. */
  list(): Promise<SandboxRef[]>;
}
