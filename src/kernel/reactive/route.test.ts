/** The priorities of the reactive mode, one by one. That the kernel goes by them is shown in test/runs/reactive/. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { type ReactiveRoute, type ReactiveSituation, reactiveRoute } from './route.ts';

/** A run in the middle of its work: one step was decided and carried out, nothing is wrong. */
const MIDDLE: ReactiveSituation = Object.freeze({
  directChat: false,
  error: null,
  stepCount: 1,
  stepsMax: 100,
  hasTask: true,
  hasCapabilities: true,
  pending: null,
});

const route = (changes: Partial<ReactiveSituation>): ReactiveRoute => reactiveRoute({ ...MIDDLE, ...changes });

const RETRIABLE = { retriable: true, capability: 'current_weather' };
const CRITICAL = { retriable: false, capability: 'current_weather' };
const MAX = { to: 'error', reason: 'max_iterations_exceeded' };

describe('highest first', () => {
  verifies('route:reactive:direct-chat-first', 'an answer without tools wins over an error and over the bound', () => {
    expect(route({ directChat: true, error: CRITICAL, stepCount: 101 })).toEqual({ to: 'direct_chat' });
    expect(route({ directChat: true, error: RETRIABLE, pending: 'current_weather' })).toEqual({ to: 'direct_chat' });
  });

  verifies(
    'route:reactive:errors-second',
    'a retriable error reruns its capability, any other is for who decides',
    () => {
      for (const stepCount of [1, 101]) {
        const again = { to: 'capability', capability: 'current_weather' };
        expect(route({ error: RETRIABLE, stepCount, pending: 'other' })).toEqual(again);
        expect(route({ error: CRITICAL, stepCount, pending: 'other' })).toEqual({ to: 'reactive_orchestrator' });
      }
    },
  );

  verifies('route:reactive:max-iterations-third', 'one step more than may be is the end, a hundred unless set', () => {
    expect(route({ stepCount: 100 })).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ stepCount: 101 })).toEqual(MAX);
    expect(route({ stepCount: 5, stepsMax: 5 })).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ stepCount: 6, stepsMax: 5, pending: 'current_weather', hasTask: false })).toEqual(MAX);
  });

  verifies('route:reactive:pipeline-fourth', 'what is missing is filled in, in order', () => {
    const fresh = { stepCount: 0, pending: null };
    expect(route({ ...fresh, hasTask: false, hasCapabilities: false })).toEqual({ to: 'task_extraction' });
    expect(route({ ...fresh, hasCapabilities: false })).toEqual({ to: 'classifier' });
    expect(route(fresh)).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ hasTask: false, pending: 'current_weather' })).toEqual({ to: 'task_extraction' });
  });

  verifies('route:reactive:dispatch-fifth', 'what was decided goes to its capability, also where that speaks', () => {
    for (const capability of ['current_weather', 'respond', 'clarify']) {
      expect(route({ pending: capability })).toEqual({ to: 'capability', capability });
    }
  });

  verifies('route:reactive:after-capability-back', 'with nothing pending whoever decides is asked again', () => {
    expect(route({ pending: null })).toEqual({ to: 'reactive_orchestrator' });
  });
});

test('there is a way on from everywhere, and only the bound ends a run', () => {
  const situations = fc.record<ReactiveSituation>({
    directChat: fc.boolean(),
    error: fc.option(fc.record({ retriable: fc.boolean(), capability: fc.string() })),
    stepCount: fc.nat(200),
    stepsMax: fc.integer({ min: 1, max: 150 }),
    hasTask: fc.boolean(),
    hasCapabilities: fc.boolean(),
    pending: fc.option(fc.string()),
  });
  fc.assert(
    fc.property(situations, (situation) => {
      const over = situation.stepCount > situation.stepsMax;
      const ends = reactiveRoute(situation).to === 'error';
      expect(ends).toBe(over && !situation.directChat && situation.error === null);
    }),
  );
});
