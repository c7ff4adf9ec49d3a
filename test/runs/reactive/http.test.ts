/** Complete stepwise runs over real HTTP, through the packages that users install. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemTimer } from '../../../src/adapters/node/system-clock.ts';
import { modelProfile } from '../../../src/compose.ts';
import { modelServer } from '../../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../../src/testing/model-server/served-turn.ts';
import { sdkModel, WIRES } from '../../models/wires.ts';
import { of } from '../planning/bench.ts';
import { decide, reactiveBench } from './bench.ts';

const TOOLS = { look_up: { execute: () => ({ total: 1200 }), produces: ['order'] }, finish: { produces: ['done'] } };

describe.each(WIRES)('%s', (wire) => {
  test('sends decisions, a correction, a lookup and observations as one conversation', async () => {
    const script: readonly ServedTurn[] = [
      { json: decide('look_up', {}, { context_key: 'order' }) as never },
      { json: { steps: [], read: { key: 'order', path: '/total' } } },
      { json: decide('teleport') as never },
      { status: 429, message: 'slow down' },
      { json: decide('finish') as never },
    ];
    const server = await modelServer(script);
    onTestFinished(async () => {
      await server.close();
      server.assertDrained();
    });
    const model = modelProfile(sdkModel(wire, server.url), { price: 'free', retry: { baseMs: 1 } });
    const bench = reactiveBench([], {
      tools: TOOLS,
      world: { clock: systemClock, timer: systemTimer },
      reactive: { model },
    });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look_up', 'finish']);
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies[0]).toContain('"enum":["look_up"]');
    expect(bodies.map((body) => body.includes('instead of a step'))).toEqual([false, true, true, true, true]);
    expect(bodies[1]).toContain('Observation of step r1');
    expect(bodies[2]).toContain('holds: 1200');
    expect(bodies[3]).toContain('no such tool: teleport');
    const calls = of(await bench.events(run.runId), 'plan_proposed').map((event) => event.calls?.length);
    expect(calls).toEqual([1, 4]);
    await bench.runtime.records.replay(run.runId);
  });
});
