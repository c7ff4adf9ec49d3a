import type { Derived } from '../../kernel/derive.ts';
import type { KernelEnv } from '../../kernel/env.ts';
import type { RunState } from '../../kernel/state.ts';
import type { EffectOf } from '../../model/effect.ts';
import { Fault } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { LaneEnvelope } from '../../model/lane.ts';
import type { RunRequest } from '../../model/run-request.ts';
import type { Timer } from '../../ports/timer.ts';
import type { LiveRun } from '../drive.ts';
import { type Family, type FamilyMember, newsOf } from './family.ts';
import type { LanePort } from './lane-port.ts';

/** What a lane is asked for: the host's words for the arguments of the call that opens it. */
export interface LaneTask {
  readonly statement: string;
  readonly intent: string;
  readonly inputs: JsonObject;
}

export interface LaneRoom {
  readonly family: Family;
  readonly timer: Timer;
  readonly env: KernelEnv;
  /** The name of the agent whose runs open the lanes. */
  readonly agent: string;
  /** By lane tool, what its agent is asked for. */
  readonly tasks: ReadonlyMap<string, (args: JsonObject) => LaneTask>;
}

/** An agent that works in a lane of another bears both names, so that its runs are told from its own. */
export const laneAgentName = (agent: string, tool: string): string => `${agent}/${tool}`;

/** Opens lanes, or finds them again, and says how each stands. */
export function laneDesk(room: LaneRoom): LanePort {
  const { family, timer, env, agent, tasks } = room;
  const memberFor = (tool: string): FamilyMember => family.member(tasks.has(tool) ? laneAgentName(agent, tool) : agent);
  return {
    outElsewhere: (lane, call) => family.outElsewhere(lane, call),
    spawn: async (state, effect, recall) => {
      await timer.until(effect.not_before, recall);
      const member = memberFor(effect.call.tool);
      return await reported(env, member, await opened(member, requested(room, state, effect), state, effect));
    },
    end: async (_state, effect) => {
      const member = memberFor(effect.call.tool);
      const run = await member.find(effect.seat.run_id);
      if (run === null) return neverBegun(effect);
      if (run.state.ending.terminal === null) {
        await run.deliver({ type: 'run_cancelled', by: effect.seat.parent_run_id, reason: effect.reason });
      }
      return await reported(env, member, run);
    },
  };
}

/** The same call finds the same lane: one that somebody else has begun meanwhile is taken over, not begun again. */
async function opened(
  member: FamilyMember,
  request: RunRequest,
  { id }: RunState,
  { seat }: EffectOf<'spawn_lane'>,
): Promise<LiveRun> {
  const found = await member.find(seat.run_id);
  if (found !== null) return await woken(found);
  try {
    return await member.begin({ seat, traceId: id.traceId, request });
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'run_context_in_use') throw error;
    const begun = await member.find(seat.run_id);
    if (begun === null) throw error;
    return await woken(begun);
  }
}

async function woken(run: LiveRun): Promise<LiveRun> {
  if (run.state.ending.terminal === null) await run.wake();
  return run;
}

async function reported(env: KernelEnv, member: FamilyMember, run: LiveRun): Promise<Derived> {
  const { runId } = run.state.id;
  const state = await run.rest().catch((error: unknown) => {
    member.release(runId);
    throw error;
  });
  if (state.ending.terminal !== null) member.release(runId);
  return { event: newsOf(member.env, env, state), blobs: [] };
}

/** What the lane is asked for, for whom the run above it acts. A step that is worked on beside others is one call. */
function requested({ agent, tasks }: LaneRoom, { intake, id }: RunState, effect: EffectOf<'spawn_lane'>): RunRequest {
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

/** A lane that never got as far as its first frame has done nothing and spent nothing. */
function neverBegun({ seat }: EffectOf<'end_lane'>): Derived {
  const envelope: LaneEnvelope = {
    lane_id: seat.lane_id,
    run_id: seat.run_id,
    parent_run_id: seat.parent_run_id,
    span_id: seat.span_id,
    status: 'cancelled',
    terminal_code: 'USER_CANCEL',
    reason: 'never_begun',
    results: [],
    transcripts: [],
    budget_used: {},
    loop_guard_trips: 0,
  };
  const event = { type: 'lane_returned', call_id: seat.parent_call_id, envelope: envelope as unknown as Json } as const;
  return { event, blobs: [] };
}
