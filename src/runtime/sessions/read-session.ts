import { foldFrame, initialState, type KernelEnv, nextStep, type Pause, type RunState } from '../../kernel/index.ts';
import type { Effect } from '../../model/events/effect.ts';
import type { Frame } from '../../model/events/frame.ts';
import type { Pins } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { parse } from '../../model/json/parse.ts';
import { type CheckpointEntry, Session, type SessionPause } from '../../model/run/session.ts';
import { waitedGate } from '../gates/closed-gate.ts';

/** The kernel that a session was made with, and the pins that apply before its own are recorded. */
export interface SessionReader {
  readonly env: KernelEnv;
  readonly pins: Pins;
}

/** Reads the session contract from the journal alone. Throws for a run that was not requested as `long_running`. */
export function readSession({ env, pins }: SessionReader, frames: readonly Frame[]): Session {
  const checkpoints: CheckpointEntry[] = [];
  let state = initialState(env);
  for (const frame of frames) {
    const folded = foldFrame(env, state, frame);
    state = folded.state;
    for (const effect of folded.effects) {
      if (effect.kind === 'save_checkpoint') checkpoints.push(entryOf(effect, frame.at));
    }
  }
  return sessionFrom(state, checkpoints, pins);
}

export const isSession = ({ session }: RunState): boolean => session.heartbeatMs !== null;

function sessionFrom(state: RunState, checkpoints: readonly CheckpointEntry[], usual: Pins): Session {
  const { session, intake, manifest, ending, id } = state;
  if (session.heartbeatMs === null) throw noSession(id.runId);
  const { pack_pin, snapshot_pin } = manifest ?? usual;
  const gate = waitedGate(state);
  const view: Session = {
    session_id: id.runId,
    tenant_id: id.tenantId,
    pack_pin,
    snapshot_pin,
    intent: intake.intent ?? intake.goal?.intent ?? 'unclassified',
    started_at: timestamp(session.startedAt),
    heartbeat: {
      interval_ms: session.heartbeatMs,
      ttl_ms: session.expiresAt - session.startedAt,
      last_seen: timestamp(session.lastSeen),
    },
    status: session.status,
    checkpoints: [...checkpoints],
    next_step: nextStep(state)?.step.id ?? null,
    owner_actor: intake.identity?.actor ?? 'nobody',
    ...(session.status === 'paused' && session.pause !== null ? { pause: pauseOf(session.pause) } : {}),
    ...(gate === null ? {} : { awaiting_gate: gate }),
    ...(ending.terminal === null ? {} : { terminal_code: ending.terminal.code }),
  };
  return deepFreeze(parse(Session, view, 'store_corrupt'));
}

const pauseOf = ({ cause, by, authority }: Pause): SessionPause => ({ cause, by, authority });

export function noSession(runId: string): Fault {
  const message = `the run ${runId} is not a session: its mode is standard, not long_running`;
  return new Fault('session_not_found', message);
}

function entryOf(effect: Extract<Effect, { readonly kind: 'save_checkpoint' }>, savedAt: number): CheckpointEntry {
  const { after_step, critic_verdict } = effect.payload as Pick<CheckpointEntry, 'after_step' | 'critic_verdict'>;
  return { checkpoint_id: effect.checkpoint_id, after_step, critic_verdict, saved_at: timestamp(savedAt) };
}

export const timestamp = (ms: number): string => new Date(ms).toISOString();
