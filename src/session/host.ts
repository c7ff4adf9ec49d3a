import type { Derived } from '../kernel/derive.ts';
import type { LocalEffect, LocalKind } from '../kernel/effect-kinds.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import type { TurnEnv } from '../kernel/turn.ts';
import type { EffectOf } from '../model/effect.ts';
import type { Journal } from '../ports/journal.ts';
import { type DriveEnv, type LiveRun, liveRun } from './drive.ts';
import { arrival, localPerformers, outsidePerformers, type RunPins, type RunPorts } from './effects.ts';
import { BEGINNING } from './journal-writer.ts';
import { loadRun } from './load.ts';
import type { LocalPerformers } from './performers.ts';

/** Runs of one agent in one process, all writing to one journal under one name. */
export interface Host {
  /** Starts a run. The goal is durable before anything else happens. */
  start(request: unknown): Promise<LiveRun>;
  /** Takes over a run that another process, or an earlier life of this one, has begun. */
  reload(session: string): Promise<LiveRun>;
  readonly turn: TurnEnv;
}

export interface HostOptions {
  readonly pins: RunPins;
  readonly ports: RunPorts;
  readonly critic: TurnEnv['critic'];
  readonly journal: Journal;
  readonly writer: string;
}

export function createHost({ pins, ports, critic, journal, writer }: HostOptions): Host {
  const turn: TurnEnv = { env: pins.env, critic, local: dispatch(localPerformers(pins, ports)) };
  const drive: DriveEnv = {
    turn,
    outside: outsidePerformers(pins, ports),
    writer: { journal, writer, agent: pins.agent.name, hash: pins.env.hash },
    clock: ports.clock,
    timer: ports.timer,
  };
  return {
    turn,
    start: async (request) => {
      const run = liveRun(drive, { state: initialState(pins.env), place: BEGINNING });
      const refused = await run.deliver(arrival(pins, ports, request));
      if (refused !== null) throw refused;
      return run;
    },
    reload: async (session) => {
      const run = liveRun(drive, await loadRun(journal, pins.env, session));
      if (run.state.ending.terminal !== null) return run;
      const refused = await run.deliver({ type: 'run_reloaded', writer });
      if (refused !== null) throw refused;
      return run;
    },
  };
}

/** The table knows which performer answers which effect; the types of one entry do not fit another's. */
function dispatch(performers: LocalPerformers): (state: RunState, effect: LocalEffect) => Derived {
  return (state, effect) => {
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}
