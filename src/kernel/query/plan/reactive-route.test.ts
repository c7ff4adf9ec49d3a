/** Tests the priorities of the reactive mode. Tests in test/runs/reactive/ show that the kernel follows them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { type ReactiveRoute, type ReactiveSituation, reactiveRoute } from './reactive-route.ts';

/** A run in progress: one step was decided and run without errors. */
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
  verifies('route:reactive:direct-chat-first', 'a direct answer comes before an error and the step limit', () => {
    expect(route({ directChat: true, error: CRITICAL, stepCount: 101 })).toEqual({ to: 'direct_chat' });
    expect(route({ directChat: true, error: RETRIABLE, pending: 'current_weather' })).toEqual({ to: 'direct_chat' });
  });

  verifies(
    'route:reactive:errors-second',
    'a retriable error reruns its capability, any other error goes to the orchestrator',
    () => {
      for (const stepCount of [1, 101]) {
        const again = { to: 'capability', capability: 'current_weather' };
        expect(route({ error: RETRIABLE, stepCount, pending: 'other' })).toEqual(again);
        expect(route({ error: CRITICAL, stepCount, pending: 'other' })).toEqual({ to: 'reactive_orchestrator' });
      }
    },
  );

  verifies('route:reactive:max-iterations-third', 'ends the run above the step limit, which is 100 by default', () => {
    expect(route({ stepCount: 100 })).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ stepCount: 101 })).toEqual(MAX);
    expect(route({ stepCount: 5, stepsMax: 5 })).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ stepCount: 6, stepsMax: 5, pending: 'current_weather', hasTask: false })).toEqual(MAX);
  });

  verifies('route:reactive:pipeline-fourth', 'runs missing stages in order', () => {
    const fresh = { stepCount: 0, pending: null };
    expect(route({ ...fresh, hasTask: false, hasCapabilities: false })).toEqual({ to: 'task_extraction' });
    expect(route({ ...fresh, hasCapabilities: false })).toEqual({ to: 'classifier' });
    expect(route(fresh)).toEqual({ to: 'reactive_orchestrator' });
    expect(route({ hasTask: false, pending: 'current_weather' })).toEqual({ to: 'task_extraction' });
  });

  verifies(
    'route:reactive:dispatch-fifth',
    'dispatches the pending step to its capability, including speaking ones',
    () => {
      for (const capability of ['current_weather', 'respond', 'clarify']) {
        expect(route({ pending: capability })).toEqual({ to: 'capability', capability });
      }
    },
  );

  verifies('route:reactive:after-capability-back', 'returns to the orchestrator when nothing is pending', () => {
    expect(route({ pending: null })).toEqual({ to: 'reactive_orchestrator' });
  });
});

test('every situation has a route, and only the step limit ends a run', () => {
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
