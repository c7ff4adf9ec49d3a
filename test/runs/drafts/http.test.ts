/** Plans and drafts over real HTTP, through the packages that users install. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemTimer } from '../../../src/adapters/node/system-clock.ts';
import { modelDrafter, modelProfile, planFirst } from '../../../src/compose.ts';
import { type ModelServer, modelServer } from '../../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../../src/testing/model-server/served-turn.ts';
import { ANSWER_MODES, sdkModel, type WireName } from '../../models/wires.ts';
import { eventsOf } from '../endings/turns.ts';
import { plan, plannedStep } from '../planning/bench.ts';
import type { RigOptions } from '../rig.ts';
import { DRAFT, type DraftRig, draftRig, LETTER } from './bench.ts';

const LEFT_OPEN = plan(
  plannedStep('o', 'order'),
  plannedStep('s', 'send', { to: 'ana@example.org', text: DRAFT, tags: null }, { depends_on: ['o'] }),
);
const PLANNED: ServedTurn = { json: LEFT_OPEN as never };
const draftOf = (text: string): ServedTurn => ({ json: { value_1: text } });

interface AnswerMode {
  readonly structured?: boolean;
  readonly streaming?: boolean;
}

async function bench(
  wire: WireName,
  script: readonly ServedTurn[],
  { structured = true, streaming = false }: AnswerMode = {},
): Promise<DraftRig & { readonly server: ModelServer }> {
  const server = await modelServer(script);
  onTestFinished(async () => {
    await server.close();
    server.assertDrained();
  });
  const model = modelProfile(sdkModel(wire, server.url), {
    price: { input: 1_000_000, output: 4_000_000 },
    answers: { structured, streaming },
    retry: { baseMs: 1 },
  });
  const options = { planner: planFirst({ model }), limits: { onEscalate: 'end' } };
  const run = draftRig([], {
    drafter: modelDrafter({ model }),
    world: { clock: systemClock, timer: systemTimer },
    options: options as RigOptions['options'] & object,
  });
  return { ...run, server };
}

const bodyOf = ({ requests }: ModelServer, place: number): string => JSON.stringify(requests[place]?.body);

describe.each(ANSWER_MODES)('%s, %s', (wire, delivery) => {
  const streaming = delivery === 'streaming';

  test('drafts an open text when its step comes up, meters it, and replays it from the journal', async () => {
    const { server, ...run } = await bench(wire, [PLANNED, draftOf(LETTER)], { streaming });
    const { runId, terminalCode } = await run.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(run.dispatches.map(({ args }) => args)).toEqual([{}, { to: 'ana@example.org', text: LETTER }]);
    expect(bodyOf(server, 0)).toContain('$draft');
    expect(bodyOf(server, 1)).toContain('value_1');
    expect(bodyOf(server, 1)).toContain('1200');
    expect(bodyOf(server, 1)).not.toContain('ana@example.org');
    const [drafted] = eventsOf(await run.events(runId), 'arguments_drafted');
    expect(drafted).toMatchObject({
      drafts: { '/text': LETTER },
      spent: { input_tokens: 100, output_tokens: 50, microusd: 300 },
      calls: [{ role: 'executor', template: 'draft@1', outcome: 'answered', measured: true }],
    });
    await run.runtime.records.replay(runId);
    expect(server.requests).toHaveLength(2);
  });

  test('returns an invalid text with the reason, and accepts any script', async () => {
    const unicode = 'Ihre Bestellung: 12,00 € – 谢谢 🍀';
    const { server, ...run } = await bench(wire, [PLANNED, draftOf('Hi'), draftOf(unicode)], { streaming });
    expect((await run.invoke()).terminalCode).toBe('SUCCESS');
    expect(run.dispatches.at(-1)?.args).toMatchObject({ text: unicode });
    expect(bodyOf(server, 2)).toContain('argument_invalid at ');
  });

  test('accepts JSON in prose from a model without structured output, after a correction', async () => {
    const dressed = `Here you are:\n\`\`\`json\n${JSON.stringify({ value_1: LETTER })}\n\`\`\``;
    const script = [`\`\`\`json\n${JSON.stringify(LEFT_OPEN)}\n\`\`\``, 'Dear customer,', dressed];
    const { server, ...run } = await bench(wire, script, { structured: false, streaming });
    expect((await run.invoke()).terminalCode).toBe('SUCCESS');
    expect(run.dispatches.at(-1)?.args).toMatchObject({ text: LETTER });
    expect(bodyOf(server, 1)).toContain('fits this JSON Schema');
    expect(bodyOf(server, 2)).toContain('no JSON object with a value under each name');
  });

  test('waits for an overloaded provider, and requests a truncated draft again', async () => {
    const overloaded = { status: 429, message: 'slow down', retryAfter: '0' };
    const cut = { text: '{"value_1": "Your ord', finish: 'length' as const };
    const { server, ...run } = await bench(wire, [PLANNED, overloaded, cut, draftOf(LETTER)], { streaming });
    const { runId, terminalCode } = await run.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const [drafted] = eventsOf(await run.events(runId), 'arguments_drafted');
    expect(drafted?.calls?.map(({ outcome }) => outcome)).toEqual(['failed', 'truncated', 'answered']);
    expect(server.requests).toHaveLength(4);
  });

  test('ends with UNAVAILABLE_DEP and sends nothing if the provider is down', async () => {
    const down = Array.from({ length: 4 }, (): ServedTurn => ({ status: 500, message: 'not well' }));
    const run = await bench(wire, [PLANNED, ...down], { streaming });
    const { runId, terminalCode } = await run.invoke();
    expect(terminalCode).toBe('UNAVAILABLE_DEP');
    expect(run.dispatches.map(({ tool }) => tool)).toEqual(['order']);
    const [drafted] = eventsOf(await run.events(runId), 'arguments_drafted');
    expect(drafted).toMatchObject({ drafts: {}, failure: { code: 'model_unreachable' } });
    expect(drafted?.calls).toHaveLength(4);
  });
});

test('replans when a model refuses to draft, and tells the planner', async () => {
  const plain = plan(
    plannedStep('s', 'send', { to: 'ana@example.org', text: LETTER, tags: null }, { depends_on: ['o'] }),
  );
  const declined: ServedTurn = { text: 'I would rather not.', finish: 'refusal' };
  const { server, ...run } = await bench('anthropic', [PLANNED, declined, { json: plain as never }]);
  expect((await run.invoke()).terminalCode).toBe('SUCCESS');
  expect(run.dispatches.map(({ tool }) => tool)).toEqual(['order', 'send']);
  expect(bodyOf(server, 2)).toContain('model_refused in step s');
});
