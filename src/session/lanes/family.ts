import type { KernelEnv } from '../../kernel/env.ts';
import type { CallName } from '../../kernel/lanes/doubted.ts';
import { laneEnvelope, laneWait } from '../../kernel/lanes/lane-envelope.ts';
import { lanesOut } from '../../kernel/lanes/open-lane.ts';
import type { RunState } from '../../kernel/state.ts';
import type { EventBody } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { LaneSeat } from '../../model/lane.ts';
import type { Journal } from '../../ports/journal.ts';
import type { LiveRun } from '../drive.ts';
import type { RunOutcome } from '../outcome.ts';
import { callClaims } from './call-claims.ts';
import { tooLargeToTravel } from './too-large.ts';

/** A lane that is about to begin: its place, the trace it belongs to, and what it is asked for. */
export interface LaneStart {
  readonly seat: LaneSeat;
  readonly traceId: string;
  readonly request: unknown;
}

/** One agent of a runtime, as the runs of the others see it. */
export interface FamilyMember {
  readonly env: KernelEnv;
  /** The run as this process holds it, or as the journal does; null where there is none. */
  find(runId: string): Promise<LiveRun | null>;
  begin(start: LaneStart): Promise<LiveRun>;
  /** Brings news of a lane to the run that opened it and drives that on. */
  hear(runId: string, news: EventBody): Promise<RunOutcome>;
  /** Takes a run over that this process does not hold, which then looks for its lanes itself, and drives it on. */
  goOn(runId: string): Promise<RunOutcome>;
  holds(runId: string): LiveRun | undefined;
  /** Every run of this agent that the process holds. */
  runs(): Iterable<LiveRun>;
  /** Lets go of a run that has ended, or that this process no longer knows. */
  release(runId: string): void;
}

/** The agents of one runtime, by name: runs and the lanes below them find each other here. */
export interface Family {
  join(agent: string, member: FamilyMember): void;
  member(agent: string): FamilyMember;
  /**
   * The run above, below or beside a lane that has a call out, or is about to, as far as this process holds them: whoever
   * opens lanes drives them as well. Null where none has; then the call is the lane's to make, and nobody else's meanwhile.
   */
  outElsewhere(lane: RunState, call: CallName): string | null;
  /**
   * A lane has come to rest, because somebody brought it something: the run above it hears of that and goes on. Gives
   * how the run that it all is for stands; null where nobody above waits for it.
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
    outElsewhere: (lane, call) => {
      const all = [...members.values()].flatMap((each) => Array.from(each.runs(), ({ state }) => state));
      const root = rootOf(lane, all);
      const relatives = all.filter((run) => run.id.runId !== lane.id.runId && rootOf(run, all) === root);
      return claims.taken(all, relatives, call) ?? claims.take(all, lane, root, call);
    },
    tellParent: async (lane, journal) => {
      const { seat } = lane;
      if (seat === undefined) return null;
      const [row] = await journal.list({ session: seat.parent_run_id, limit: 1 });
      if (row === undefined || row.terminal_code !== null || !members.has(row.agent)) return null;
      const parent = member(row.agent);
      const held = parent.holds(row.session_id);
      if (held === undefined) return await parent.goOn(row.session_id);
      // Whoever drives the parent waits for this lane already, unless it was told that the lane waits for people.
      const out = lanesOut(held.state).find(({ seat: { run_id } }) => run_id === seat.run_id);
      if (out === undefined || out.waits === null) return null;
      const own = members.get(ownAgent(lane));
      return own === undefined ? null : await parent.hear(row.session_id, newsOf(own.env, parent.env, lane));
    },
  };
}

/** The run at the top of a family, by its id; as far up as is known. */
function rootOf(run: RunState, all: readonly RunState[]): string {
  let top = run;
  for (;;) {
    const { seat } = top;
    if (seat === undefined) return top.id.runId;
    const above = all.find(({ id }) => id.runId === seat.parent_run_id);
    if (above === undefined) return seat.parent_run_id;
    top = above;
  }
}

const ownAgent = ({ manifest, seat }: RunState): string => manifest?.agent ?? seat?.agent ?? '';

/** How a lane stands, as the run above it is told: it has ended, or it waits for people. */
export function newsOf(own: KernelEnv, parent: KernelEnv, lane: RunState): EventBody {
  const { seat, ending } = lane;
  if (seat === undefined) throw new Fault('internal', 'news of a run that is no lane');
  const call_id = seat.parent_call_id;
  if (ending.terminal !== null) {
    const returns = parent.tools.get(seat.tool)?.lane?.returns ?? [];
    const envelope = tooLargeToTravel(parent, seat.tool, laneEnvelope(own, lane, returns));
    return { type: 'lane_returned', call_id, envelope: envelope as unknown as Json };
  }
  const waits = laneWait(lane) ?? { gates: [], cause: 'paused' };
  return { type: 'lane_suspended', call_id, run_id: lane.id.runId, waits };
}
