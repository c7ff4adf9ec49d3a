import { type Derived, findOpenLanes, type KernelEnv, type RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { LaneContext, LaneEnvelope } from '../../model/run/lane.ts';
import type { RunRequest } from '../../model/run/run-request.ts';
import type { Timer } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { LiveRun } from '../drive.ts';
import { isFenced } from '../journal-writer.ts';
import { ancestryReader } from './ancestry.ts';
import { type Family, type FamilyMember, newsOf } from './family.ts';
import type { LanePort } from './lane-port.ts';

/** The task of a lane, built by the host from the arguments of the call that opens it. */
export interface LaneTask {
  readonly statement: string;
  readonly intent: string;
  readonly inputs: JsonObject;
}

export interface LaneDeps {
  readonly family: Family;
  readonly journal: Pick<Journal, 'list'>;
  readonly timer: Timer;
  readonly env: KernelEnv;
  /** The name of the agent whose runs open the lanes. */
  readonly agent: string;
  /** By lane tool, the function that builds its task. */
  readonly tasks: ReadonlyMap<string, (args: JsonObject) => LaneTask>;
}

/** The name of an agent in a lane: `parent/tool`. It distinguishes these runs from the agent's own. */
export const laneAgentName = (agent: string, tool: string): string => `${agent}/${tool}`;

/** Opens lanes, or finds running ones again, and reports their state. */
export function createLanePort(deps: LaneDeps): LanePort {
  const { family, journal, timer, env, agent, tasks } = deps;
  const memberFor = (tool: string): FamilyMember => family.member(tasks.has(tool) ? laneAgentName(agent, tool) : agent);
  return {
    claimCall: (lane, call) => family.claimCall(lane, call),
    ancestry: ancestryReader({ journal, loadState: (name, runId) => family.member(name).loadState(runId) }),
    spawn: async (state, effect, recall) => {
      await timer.until(effect.not_before, recall);
      const member = memberFor(effect.call.tool);
      return await reportLane(env, member, await openLane(member, laneRequest(deps, state, effect), state, effect));
    },
    end: async (_state, { laneContext, reason }) => {
      const member = memberFor(laneContext.tool);
      const run = await cancelLane(member, laneContext, reason);
      return run === null ? neverStarted(laneContext) : await reportLane(env, member, run);
    },
    endOpen: async (state) => {
      if (state.ending.terminal !== null || state.ending.stops.length === 0) return;
      const ending = findOpenLanes(state).map(async ({ laneContext }) => {
        const run = await cancelLane(memberFor(laneContext.tool), laneContext, 'parent_ended');
        await run?.runUntilIdle();
      });
      await Promise.allSettled(ending);
    },
  };
}

/** How often a lane is cancelled again because another process has written to it meanwhile. */
const CANCELS_MAX = 3;

/** Cancels a lane in the name of its parent. Returns null if the lane never started. */
async function cancelLane(
  member: FamilyMember,
  { run_id, parent_run_id: by }: LaneContext,
  reason: string,
): Promise<LiveRun | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await member.cancel(run_id, { type: 'run_cancelled', by, reason });
    } catch (error) {
      if (!isFenced(error) || tries >= CANCELS_MAX) throw error;
      member.release(run_id);
    }
  }
}

/** Finds or starts the lane of a call. A lane that another process has started meanwhile is taken over. */
async function openLane(
  member: FamilyMember,
  request: RunRequest,
  { id }: RunState,
  { laneContext }: EffectOf<'spawn_lane'>,
): Promise<LiveRun> {
  const found = await member.find(laneContext.run_id);
  if (found !== null) return await wakeRun(found);
  try {
    return await member.begin({ laneContext, traceId: id.traceId, request });
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'run_context_in_use') throw error;
    const begun = await member.find(laneContext.run_id);
    if (begun === null) throw error;
    return await wakeRun(begun);
  }
}

async function wakeRun(run: LiveRun): Promise<LiveRun> {
  if (run.state.ending.terminal === null) await run.wake();
  return run;
}

async function reportLane(env: KernelEnv, member: FamilyMember, run: LiveRun): Promise<Derived> {
  const { runId } = run.state.id;
  const state = await run.runUntilIdle().catch((error: unknown) => {
    member.release(runId);
    throw error;
  });
  if (state.ending.terminal !== null) member.release(runId);
  return { event: newsOf(member.env, env, state), blobs: [] };
}

/** The request of a lane, for its parent's identity. A parallel step without a lane tool is a request for one call. */
function laneRequest({ agent, tasks }: LaneDeps, { intake, id }: RunState, effect: EffectOf<'spawn_lane'>): RunRequest {
  const { tool, args } = effect.call;
  if (intake.identity === null || intake.goal === null) throw new Fault('input_missing', 'the run has no goal');
  const asked = { mode: 'standard', tenant_id: id.tenantId, identity: intake.identity } as const;
  const task = tasks.get(tool);
  if (task === undefined) {
    const goal = { statement: `One step of a plan: ${tool}` };
    return { ...asked, agent, intent: intake.intent ?? intake.goal.intent, goal, call: { tool, args } };
  }
  const { statement, intent, inputs } = task(args);
  return { ...asked, agent: laneAgentName(agent, tool), intent, goal: { statement }, inputs };
}

/** A lane without a first frame has done and spent nothing. */
function neverStarted(laneContext: LaneContext): Derived {
  const envelope: LaneEnvelope = {
    lane_id: laneContext.lane_id,
    run_id: laneContext.run_id,
    parent_run_id: laneContext.parent_run_id,
    span_id: laneContext.span_id,
    status: 'cancelled',
    terminal_code: 'USER_CANCEL',
    reason: 'never_begun',
    results: [],
    transcripts: [],
    budget_used: {},
    loop_guard_trips: 0,
  };
  const event = {
    type: 'lane_returned',
    call_id: laneContext.parent_call_id,
    envelope: envelope as unknown as Json,
  } as const;
  return { event, blobs: [] };
}
