import {
  findOpenLanes,
  hasUnsettledCall,
  type KernelEnv,
  laneEnvelope,
  laneWait,
  type RunState,
} from '../../kernel/index.ts';
import type { CallName } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Json } from '../../model/json/json.ts';
import { storedAt } from '../../model/json/stored-answer.ts';
import type { LaneContext, LaneEnvelope } from '../../model/run/lane.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { LiveRun } from '../drive.ts';
import type { RunOutcome } from '../outcome.ts';

/** A lane to start: its context, the trace it belongs to, and its request. */
export interface LaneStart {
  readonly laneContext: LaneContext;
  readonly traceId: string;
  readonly request: unknown;
}

/** One agent of a runtime, as the runs of other agents see it. */
export interface FamilyMember {
  readonly env: KernelEnv;
  /** The run from this process or from the journal; null if there is none. */
  find(runId: string): Promise<LiveRun | null>;
  begin(start: LaneStart): Promise<LiveRun>;
  /** The recorded state of a run, loaded from the journal. */
  loadState(runId: string): Promise<RunState>;
  /** Cancels a run, also one that may not continue; null if there is none. */
  cancel(runId: string, order: EventBody): Promise<LiveRun | null>;
  /** Delivers a lane's event to the run that opened it, and drives that run. */
  deliverNews(runId: string, news: EventBody): Promise<RunOutcome>;
  /** Takes over and drives a run that this process does not hold. The run then finds its lanes itself. */
  resume(runId: string): Promise<RunOutcome>;
  holds(runId: string): LiveRun | undefined;
  /** The runs of this agent that the process holds. */
  runs(): Iterable<LiveRun>;
  /** Drops a run that has ended or is unknown to this process. */
  release(runId: string): void;
}

/** The agents of one runtime, by name. Runs and their lanes find each other here. */
export interface Family {
  join(agent: string, member: FamilyMember): void;
  member(agent: string): FamilyMember;
  /**
   * The related run (parent, child or sibling lane) that has this call in flight or is about to make it; null if there
   * is none, and then the call is reserved for the lane. Only runs in this process count, because the process that
   * opens lanes also drives them.
   */
  claimCall(lane: RunState, call: CallName): string | null;
  /** Continues the lanes, at any depth, that were paused because this run was. */
  wakeLanes(run: RunState, journal: Pick<Journal, 'list'>): Promise<void>;
  /**
   * Notifies the parent of a lane that waits or has ended, and drives the parent. Returns the outcome of the topmost
   * run that continued; null if the parent does not wait for this lane.
   */
  tellParent(lane: RunState, journal: Pick<Journal, 'list'>): Promise<RunOutcome | null>;
}

export function createFamily(): Family {
  const members = new Map<string, FamilyMember>();
  const claims = callClaims();
  const member = (agent: string): FamilyMember => {
    const found = members.get(agent);
    if (found !== undefined) return found;
    throw new Fault('session_not_found', `there is no agent ${agent} here that could work in a lane`);
  };
  return {
    join: (agent, joining) => {
      members.set(agent, joining);
    },
    member,
    claimCall: (lane, call) => {
      const all = [...members.values()].flatMap((each) => Array.from(each.runs(), ({ state }) => state));
      const root = rootOf(lane, all);
      const relatives = all.filter((run) => run.id.runId !== lane.id.runId && rootOf(run, all) === root);
      return claims.taken(all, relatives, call) ?? claims.take(all, lane, root, call);
    },
    // A lane that cannot go on here is due in the journal, so a server finds it; it must not stop its parent.
    wakeLanes: async (run, journal) => await wakeLanes(member, run, journal).catch(() => undefined),
    tellParent: async (lane, journal) => {
      const { laneContext } = lane;
      if (laneContext === undefined) return null;
      const [row] = await journal.list({ session: laneContext.parent_run_id, limit: 1 });
      if (row === undefined || row.terminal_code !== null || !members.has(row.agent)) return null;
      const parent = member(row.agent);
      const held = parent.holds(row.session_id);
      if (held === undefined) return await parent.resume(row.session_id);
      // The parent's driver already waits for this lane, unless the lane had reported that it waits for people.
      const out = findOpenLanes(held.state).find(({ laneContext: { run_id } }) => run_id === laneContext.run_id);
      if (out === undefined || out.waits === null) return null;
      const own = members.get(ownAgent(lane));
      return own === undefined ? null : await parent.deliverNews(row.session_id, newsOf(own.env, parent.env, lane));
    },
  };
}

async function wakeLanes(
  member: Family['member'],
  { lanes = [], now }: RunState,
  journal: Pick<Journal, 'list'>,
): Promise<void> {
  for (const { laneContext } of lanes) {
    const [row] = await journal.list({ session: laneContext.run_id, limit: 1 });
    if (row === undefined || row.terminal_code !== null) continue;
    const isDue = row.status === 'paused' && row.wake_at !== null && row.wake_at <= now;
    if (isDue) await member(row.agent).resume(row.session_id);
    else await wakeLanes(member, await member(row.agent).loadState(row.session_id), journal);
  }
}

/** The id of the topmost run of a family, as far as it is known. */
function rootOf(run: RunState, all: readonly RunState[]): string {
  let top = run;
  for (;;) {
    const { laneContext } = top;
    if (laneContext === undefined) return top.id.runId;
    const above = all.find(({ id }) => id.runId === laneContext.parent_run_id);
    if (above === undefined) return laneContext.parent_run_id;
    top = above;
  }
}

const ownAgent = ({ manifest, laneContext }: RunState): string => manifest?.agent ?? laneContext?.agent ?? '';

/** The event that reports a lane to its parent: the lane has ended, or it waits for people. */
export function newsOf(own: KernelEnv, parent: KernelEnv, lane: RunState): EventBody {
  const { laneContext, ending } = lane;
  if (laneContext === undefined) throw new Fault('internal', 'news of a run that is no lane');
  const call_id = laneContext.parent_call_id;
  if (ending.terminal !== null) {
    const returns = parent.tools.get(laneContext.tool)?.lane?.returns ?? [];
    const envelope = failIfTooLarge(parent, laneContext.tool, laneEnvelope(own, lane, returns));
    return { type: 'lane_returned', call_id, envelope: envelope as unknown as Json };
  }
  const waits = laneWait(lane) ?? { gates: [], cause: 'paused' };
  return { type: 'lane_suspended', call_id, run_id: lane.id.runId, waits };
}

interface Claim {
  readonly runId: string;
  readonly call: string;
  /** The run's sequence number when it claimed the call. Once it has advanced, its state shows the call. */
  readonly seq: number;
}

/** Calls that are authorized but not recorded yet, with the lane that will make each. */
interface CallClaims {
  /** The relative that has the call in flight, or is about to make it. */
  taken(all: readonly RunState[], relatives: readonly RunState[], call: CallName): string | null;
  /** Reserves the call for a lane. Always returns null, so that it can follow `taken` with `??`. */
  take(all: readonly RunState[], lane: RunState, root: string, call: CallName): null;
}

export function callClaims(): CallClaims {
  const claims = new Map<string, Claim>();
  return {
    taken: (all, relatives, call) => {
      const out = relatives.find((run) => hasUnsettledCall(run, call));
      if (out !== undefined) return out.id.runId;
      for (const [name, claim] of claims) {
        const claimant = all.find(({ id }) => id.runId === claim.runId);
        if (claimant?.seq !== claim.seq) claims.delete(name);
        else if (relatives.includes(claimant) && claim.call === nameOf(call)) return claim.runId;
      }
      return null;
    },
    take: (all, lane, root, call) => {
      const { runId } = lane.id;
      const seq = all.find(({ id }) => id.runId === runId)?.seq ?? 0;
      claims.set(`${root}\n${runId}\n${nameOf(call)}`, { runId, seq, call: nameOf(call) });
      return null;
    },
  };
}

const nameOf = ({ tool, args_hash }: CallName): string => `${tool} ${args_hash}`;

/**
 * Fails a lane whose result was too large for its journal. Only the address of the result would reach the parent, which
 * does not match the call's schema. The planner learns the cause and the fix instead of a missing field.
 */
function failIfTooLarge({ tools }: KernelEnv, tool: string, envelope: LaneEnvelope): LaneEnvelope {
  const { results, status } = envelope;
  const stored = results.find(({ value }) => storedAt(value) !== null);
  if (stored === undefined || status !== 'completed') return envelope;
  const arrived: Json =
    tools.get(tool)?.lane === undefined
      ? stored.value
      : Object.fromEntries(results.map(({ key, value }) => [key, value]));
  if (tools.checkOutput(tool, arrived).length === 0) return envelope;
  const reason = `the answer under ${stored.key} is too large to come back from a lane: have the step wait for another (depends_on), so that it has its turn alone, or answer with less`;
  return { ...envelope, status: 'failed', terminal_code: 'VALIDATION_FAIL', reason, results: [] };
}
