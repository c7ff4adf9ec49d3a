import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import { nextStep } from '../kernel/next-step.ts';
import type { Pause, RunState } from '../kernel/state.ts';
import type { Pins } from '../model/context.ts';
import type { Effect } from '../model/effect.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import { deepFreeze } from '../model/freeze.ts';
import { parse } from '../model/parse.ts';
import { type CheckpointEntry, Session, type SessionPause } from '../model/session.ts';
import { foldFrame } from './fold-frame.ts';
import { waitedGate } from './waited-gate.ts';

/** What a session is read with: the kernel it was made with, and the pins a session has before its own are recorded. */
export interface SessionReader {
  readonly env: KernelEnv;
  readonly pins: Pins;
}

/** The session contract, read from the journal alone. A run that nobody asked to be a session has none. */
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
  const message = `the run ${runId} is no session: it was asked for as standard, not as long_running`;
  return new Fault('session_not_found', message);
}

function entryOf(effect: Extract<Effect, { readonly kind: 'save_checkpoint' }>, savedAt: number): CheckpointEntry {
  const { after_step, critic_verdict } = effect.payload as Pick<CheckpointEntry, 'after_step' | 'critic_verdict'>;
  return { checkpoint_id: effect.checkpoint_id, after_step, critic_verdict, saved_at: timestamp(savedAt) };
}

export const timestamp = (ms: number): string => new Date(ms).toISOString();
