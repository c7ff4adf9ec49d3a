import { z } from 'zod';
import { Fault } from '../model/fault/fault.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import { exactObject } from '../model/json/exact.ts';
import { Name } from '../model/json/name.ts';
import { parse } from '../model/json/parse.ts';
import { printable } from '../model/json/printable.ts';
import type { Identity } from '../model/run/identity.ts';
import type { SessionStatus } from '../model/run/session-status.ts';
import type { ThreadHistory, ThreadPart, ThreadUse } from '../model/run/thread.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { SessionRow, ThreadRow } from '../ports/journal/rows.ts';
import { copyInput, readUntrusted, requireId } from '../session/read-input.ts';

/** A filter for threads. */
export interface ThreadQuery {
  readonly thread?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
  /** 1,000 by default. */
  readonly limit?: number;
}
const ThreadQuery: z.ZodType<ThreadQuery> = exactObject({
  thread: Name.exactOptional(),
  tenant: Name.exactOptional(),
  user: Name.exactOptional(),
  agent: Name.exactOptional(),
  limit: z.int().positive().exactOptional(),
});

/** One row of a list of threads. */
export interface ThreadSummary {
  readonly thread: string;
  readonly tenantId: string;
  /** The user whose thread it is. No other user continues it. */
  readonly user: string;
  readonly agent: string;
  readonly runs: number;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** One run of a thread. */
export interface ThreadRun {
  readonly runId: string;
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly startedAt: number;
}

/** A thread: its runs, and its messages and answers with the trust of each part. */
export interface Thread extends Omit<ThreadSummary, 'runs'> {
  readonly runs: readonly ThreadRun[];
  /** Oldest first, as the next run gets them. After a compression, a digest stands for the oldest. */
  readonly messages: readonly ThreadPart[];
  /** The amounts that all runs have used. Costs are in millionths of a dollar. */
  readonly used: ThreadUse;
}

/** The threads of the store: each is the list of runs of one conversation. */
export interface Threads {
  /** The threads that match the filter, the last changed first. */
  list(filter?: ThreadQuery): Promise<readonly ThreadSummary[]>;
  /** A thread with its runs and messages. `thread_not_found` if the tenant has none with this id. */
  get(thread: string, of: ThreadOwner): Promise<Thread>;
  /** The runs of a thread that were not pruned, each as `records.export` writes it, with the thread they belong to. */
  export(thread: string, of: ThreadOwner): Promise<ExportedThread>;
}

/** The tenant of a thread. Ids of threads are unique within a tenant. */
export interface ThreadOwner {
  readonly tenant: string;
  /** Finds the thread only if it belongs to this user. */
  readonly user?: string;
}
const ThreadOwner: z.ZodType<ThreadOwner> = exactObject({ tenant: Name, user: Name.exactOptional() });

export interface ExportedThread {
  readonly thread: Thread;
  readonly runs: readonly { readonly runId: string; readonly file: Uint8Array }[];
  /** The ids of the runs that were pruned, of which there is no file. */
  readonly pruned: readonly string[];
}

export interface ThreadsDeps {
  readonly journal: Pick<Journal, 'threads' | 'threadSessions'>;
  /** Reads the history of a thread of this agent, its last run included. */
  readonly history: (tenant: string, thread: string) => Promise<ThreadHistory>;
  readonly exportRun: (runId: string) => Promise<Uint8Array>;
}

export function createThreads({ journal, history, exportRun }: ThreadsDeps): Threads {
  const get: Threads['get'] = async (id, of) => {
    const thread = requireId(id);
    const { tenant, user } = parse(
      ThreadOwner,
      readUntrusted(() => copyInput(of)),
      'input_invalid',
    );
    const [row] = await journal.threads({ tenant, thread, limit: 1 });
    if (row === undefined || (user !== undefined && row.thread_user !== user)) throw threadNotFound(thread);
    const { runs: _, ...summary } = summaryOf(row);
    const { parts: messages, used } = await history(tenant, thread);
    return { ...summary, runs: (await journal.threadSessions(tenant, thread)).map(runOf), messages, used };
  };
  return {
    list: async (filter = {}) => {
      const query = parse(
        ThreadQuery,
        readUntrusted(() => copyInput(filter)),
        'input_invalid',
      );
      return (await journal.threads(query)).map(summaryOf);
    },
    get,
    export: async (id, of) => {
      const thread = await get(id, of);
      const runs: ExportedThread['runs'][number][] = [];
      const pruned: string[] = [];
      for (const { runId } of thread.runs) {
        const file = await unlessPruned(exportRun(runId));
        if (file === null) pruned.push(runId);
        else runs.push({ runId, file });
      }
      return { thread, runs, pruned };
    },
  };
}

async function unlessPruned<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return null;
    throw error;
  }
}

/** The threads of one user. Another user's id and an unknown one are both `thread_not_found`. */
export interface UserThreads {
  list(filter?: Pick<ThreadQuery, 'agent' | 'limit'>): Promise<readonly ThreadSummary[]>;
  get(thread: string): Promise<Thread>;
}

export function ownThreads(
  threads: Threads,
  { tenant_id: tenant, actor: user }: Identity,
  assertCurrent: () => void,
): UserThreads {
  return Object.freeze<UserThreads>({
    list: async (filter) => {
      assertCurrent();
      return await threads.list({ ...filter, tenant, user });
    },
    get: async (thread) => {
      assertCurrent();
      return await threads.get(thread, { tenant, user });
    },
  });
}

const threadNotFound = (thread: string): Fault =>
  new Fault('thread_not_found', `there is no thread ${printable(thread)} here`);

const summaryOf = (row: ThreadRow): ThreadSummary => ({
  thread: row.thread,
  tenantId: row.tenant_id,
  user: row.thread_user,
  agent: row.agent,
  runs: row.sessions,
  startedAt: row.started_at,
  updatedAt: row.updated_at,
});

const runOf = ({ session_id, status, terminal_code, started_at }: SessionRow): ThreadRun => ({
  runId: session_id,
  status,
  terminalCode: terminal_code,
  startedAt: started_at,
});
