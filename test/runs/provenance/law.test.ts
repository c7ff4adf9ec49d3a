/** Property: an untrusted value or choice takes effect only after a person saw it, for any plan and binding. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOOP_LIMITS } from '../../../src/kernel/state/loop-guard.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, type Rig } from '../rig.ts';
import { MODE, mailbox, readFirst } from './bench.ts';

const GOAL = { statement: 'Tell Bob about it' };
const SOURCES = ['mail', 'contacts', 'upper'] as const;
const EFFECTS = { note: undefined, send: MODE, pay: MODE } as const;
const OUT = { mail: '/from', contacts: '/address', upper: '/text' } as const;

interface Shape {
  readonly sources: readonly { readonly tool: (typeof SOURCES)[number]; readonly of: number }[];
  readonly effect: keyof typeof EFFECTS;
  readonly args: readonly { readonly literal: boolean; readonly of: number }[];
  readonly afterReading: boolean;
  readonly refused: boolean;
}

/** A fourth call bound to the same value would trip the loop guard. */
const isNoLoop = (sources: Shape['sources']): boolean =>
  sources.filter(({ tool }, at) => tool === 'upper' && at > 0).length <= LOOP_LIMITS.calls;

const shape: fc.Arbitrary<Shape> = fc.record({
  sources: fc
    .array(fc.record({ tool: fc.constantFrom(...SOURCES), of: fc.nat(5) }), { minLength: 1, maxLength: 5 })
    .filter(isNoLoop),
  effect: fc.constantFrom('note' as const, 'send' as const, 'pay' as const),
  args: fc.array(fc.record({ literal: fc.boolean(), of: fc.nat(5) }), { maxLength: 4 }),
  afterReading: fc.boolean(),
  refused: fc.boolean(),
});

/** The plan of a shape and, computed independently, whether each source is untrusted. */
function planOfShape({ sources, effect, args, afterReading }: Shape): { steps: PlanStep[]; strange: boolean[] } {
  const steps: PlanStep[] = [];
  const strange: boolean[] = [];
  const bind = (of: number): JsonObject => {
    const tool = sources[of]?.tool ?? 'mail';
    return { $from: `s${of}`, path: OUT[tool] };
  };
  for (const [at, { tool, of }] of sources.entries()) {
    const bound = tool === 'upper' && at > 0;
    const before = of % Math.max(at, 1);
    // Calls differ from each other so that the loop guard does not stop them.
    const params = bound ? { text: bind(before) } : { text: `Bob ${at}` };
    steps.push({ id: `s${at}`, tool, params, depends_on: at === 0 ? [] : [`s${at - 1}`] });
    strange.push(tool === 'mail' || (bound ? strange[before] === true : afterReading));
  }
  const last = sources.length;
  const params = Object.fromEntries(
    args.map(({ literal, of }, at) => [`a${at}`, literal ? 'Bob' : bind(of % last)] as const),
  );
  const requires = EFFECTS[effect];
  const acting = { id: 'act', tool: effect, params, depends_on: [`s${last - 1}`] };
  steps.push(requires === undefined ? acting : { ...acting, requires });
  return { steps, strange };
}

const hasActed = (bench: Rig, tool: string): boolean => bench.dispatches.some((dispatch) => dispatch.tool === tool);

test('no untrusted value or choice takes effect unseen, under any plan', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(shape, async (drawn) => {
      const { steps, strange } = planOfShape(drawn);
      const plan = planOf(steps, { plan_id: 'plan_drawn' });
      const bounds = { tools: { untrusted_arguments: drawn.refused ? ('refused' as const) : ('shown' as const) } };
      const bench = mailbox(drawn.afterReading ? [readFirst, plan] : [plan], bounds);
      const outcome = await bench.invoke({ goal: GOAL });
      const reached = drawn.args.some(({ literal, of }) => !literal && strange[of % drawn.sources.length] === true);
      const inline = drawn.effect === 'note';
      const unseen = hasActed(bench, drawn.effect);
      if (unseen) {
        expect(drawn.afterReading, 'a tainted choice took effect').toBe(false);
        expect(reached && !inline, 'an untrusted value took effect').toBe(false);
        expect(drawn.effect, 'what destroys took effect').not.toBe('pay');
      } else if (outcome.terminalCode !== null) {
        expect(drawn.refused && !inline, 'an unexpected refusal').toBe(true);
        expect(outcome.reason).toBe('untrusted_argument');
      } else {
        const [gate] = outcome.pending;
        if (gate === undefined) throw new Error('neither refused nor asked');
        const { gateId, packetHash } = gate;
        const answer = { packetHash, credential: operator('lead_1'), reason: 'seen' };
        await bench.settle(bench.runtime.approve(gateId, answer));
        expect(hasActed(bench, drawn.effect)).toBe(true);
      }
      const granted = eventsOf(await bench.events(outcome.runId), 'step_cleared').some((event) => event.granted);
      expect(granted && (drawn.afterReading || reached || drawn.effect !== 'send')).toBe(false);
    }),
    { numRuns: 60 },
  );
});
