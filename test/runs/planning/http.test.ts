/** Tests runs that are planned over real HTTP, through the provider packages that users install. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemTimer } from '../../../src/adapters/node/system-clock.ts';
import { modelProfile } from '../../../src/compose.ts';
import { type ModelServer, modelServer } from '../../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../../src/testing/model-server/served-turn.ts';
import { sdkModel, WIRES, type WireName } from '../../models/wires.ts';
import type { Rig } from '../rig.ts';
import { benchWith, of, plan, plannedStep } from './bench.ts';

const INPUT = {
  type: 'object',
  properties: { order_id: { type: 'string' }, options: { type: 'object' } },
  required: ['order_id'],
  additionalProperties: false,
};
const TOOLS = { look_up: { input_schema: INPUT, execute: () => ({ total: 1200 }) }, finish: { produces: ['done'] } };
const GOOD = plan(
  plannedStep('s1', 'look_up', { order_id: 'o1', options: '{"deep":true}' }),
  plannedStep('s2', 'finish'),
);

async function bench(
  wire: WireName,
  script: readonly ServedTurn[],
  structured = true,
): Promise<Rig & { readonly server: ModelServer }> {
  const server = await modelServer(script);
  onTestFinished(async () => {
    await server.close();
    server.assertDrained();
  });
  const model = modelProfile(sdkModel(wire, server.url), {
    price: 'free',
    answers: { structured },
    retry: { baseMs: 1 },
  });
  const world = { clock: systemClock, timer: systemTimer };
  return { ...benchWith(model, { tools: TOOLS, world }), server };
}

describe.each(WIRES)('%s', (wire) => {
  test('requests a plan with its schema, verifies it and carries it out', async () => {
    const { server, ...run } = await bench(wire, [{ json: GOOD as never }]);
    const done = await run.invoke();
    expect(done.terminalCode).toBe('SUCCESS');
    expect(run.dispatches.map(({ tool, args }) => [tool, args])).toEqual([
      ['look_up', { order_id: 'o1', options: { deep: true } }],
      ['finish', {}],
    ]);
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('"enum":["look_up"]');
    expect(body).toContain('Do the work');
    const [proposed] = of(await run.events(done.runId), 'plan_proposed');
    expect(proposed?.calls).toMatchObject([{ role: 'planner', template: 'plan_first@3', measured: true }]);
    await run.runtime.records.replay(done.runId);
  });

  test('sends a simpler schema to a provider that rejects the first one as too complex', async () => {
    const loose = plan(
      plannedStep('s1', 'look_up', '{"order_id":"o1"}' as never),
      plannedStep('s2', 'finish', '{}' as never),
    );
    const refusal = { status: 400, message: 'Schema is too complex' };
    const { server, ...run } = await bench(wire, [refusal, { json: loose as never }]);
    expect((await run.invoke()).terminalCode).toBe('SUCCESS');
    const [tight, looser] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(tight).not.toContain('"enum":["clarify","finish","look_up","respond"]');
    expect(looser).toContain('"enum":["clarify","finish","look_up","respond"]');
  });

  test('reads a plan out of prose from a model without structured output, and reports errors to it', async () => {
    const { server, ...run } = await bench(
      wire,
      ['Sure! I will look it up.', `Here it is:\n\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\`\nGood luck! 🍀`],
      false,
    );
    expect((await run.invoke()).terminalCode).toBe('SUCCESS');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('it is not JSON');
  });

  test('waits for an overloaded provider, and requests a truncated plan again', async () => {
    const overloaded = { status: 429, message: 'slow down', retryAfter: '0' };
    const cut = { text: JSON.stringify(GOOD).slice(0, 80), finish: 'length' as const };
    const { server, ...run } = await bench(wire, [overloaded, cut, { json: GOOD as never }]);
    const done = await run.invoke();
    expect(done.terminalCode).toBe('SUCCESS');
    expect(JSON.stringify(server.requests[2]?.body)).toContain('cut off before its end');
    const [proposed] = of(await run.events(done.runId), 'plan_proposed');
    expect(proposed?.calls?.map(({ outcome }) => outcome)).toEqual(['failed', 'truncated', 'answered']);
  });
});
