import type { KernelEnv } from '../../kernel/env.ts';
import { initialState } from '../../kernel/initial-state.ts';
import type { RunState } from '../../kernel/state.ts';
import { step } from '../../kernel/step.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Frame } from '../../model/frame.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Law } from './laws/law.ts';
import { RUN_LAWS } from './laws/run-laws.ts';

/** A promise that was not kept. */
export interface Violation {
  readonly law: string;
  readonly message: string;
}

/**
 * Folds the journal along with the run, from the stored bytes and with a state of its own, and asks every law after
 * every event. What it holds is what a process that reloads now would hold.
 */
export interface Auditor {
  readonly state: RunState;
  readonly violation: Violation | null;
  /** The last frame it has read. */
  readonly seq: number;
  /** How many events the journal holds. */
  readonly events: number;
  append(frame: Frame): void;
  /** Something that no single event shows. */
  accuse(law: string, message: string): void;
  end(): void;
}

export function auditor(env: KernelEnv, laws: readonly Law[], freeze: boolean): Auditor {
  let state = initialState(env);
  let violation: Violation | null = null;
  let events = 0;
  let seq = 0;

  const accuse = (law: string, message: string): void => {
    violation ??= { law, message };
  };

  const fold = (event: RunEvent, seq: number): void => {
    const before = state;
    const [after, effects, fault] = step(env, before, freeze ? deepFreeze(event) : event);
    events += 1;
    if (fault !== undefined) {
      accuse(RUN_LAWS.replay, `frame ${seq}: ${event.type} is refused when folded: ${fault.message}`);
      return;
    }
    state = freeze ? deepFreeze(after) : after;
    for (const law of laws) {
      const broken = law.event?.({ before, event, after, effects }) ?? null;
      if (broken !== null) accuse(law.name, `frame ${seq}: ${broken}`);
    }
  };

  return {
    get state() {
      return state;
    },
    get violation() {
      return violation;
    },
    get seq() {
      return seq;
    },
    get events() {
      return events;
    },
    append: (frame) => {
      seq = frame.seq;
      for (const event of JSON.parse(frame.events) as readonly RunEvent[]) fold(event, frame.seq);
    },
    accuse,
    end: () => {
      for (const law of laws) {
        const broken = law.end?.(state) ?? null;
        if (broken !== null) accuse(law.name, broken);
      }
    },
  };
}
