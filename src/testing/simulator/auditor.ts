import { initialState, type KernelEnv, type RunState, step } from '../../kernel/index.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { type Law, RUN_LAWS } from './laws/law.ts';

export interface LawViolation {
  readonly law: string;
  readonly message: string;
}

/**
 * Folds the stored frames into a state of its own and checks every law after every event. Its state is the one that a
 * process would have after a reload.
 */
export interface Auditor {
  readonly state: RunState;
  readonly violation: LawViolation | null;
  /** The last frame that was read. */
  readonly seq: number;
  readonly events: number;
  append(frame: Frame): void;
  /** Reports a violation that no single event shows. */
  accuse(law: string, message: string): void;
  end(): void;
}

export function auditor(env: KernelEnv, laws: readonly Law[], freeze: boolean): Auditor {
  let state = initialState(env);
  let violation: LawViolation | null = null;
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
      for (const event of frameEvents(frame)) fold(event, frame.seq);
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
