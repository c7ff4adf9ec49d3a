/** A run as an OpenTelemetry trace: derived from its journal, complete, in OTLP form. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type OtlpSpan, type OtlpTraces, traceIdOf } from '../../../src/record/telemetry/run-spans.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, operator, planOf, rig } from '../rig.ts';

const spansIn = ({ resourceSpans: [{ scopeSpans }] }: OtlpTraces): readonly OtlpSpan[] => scopeSpans[0].spans;

const attributeOf = ({ attributes }: OtlpSpan | undefined = spanless, key: string): unknown =>
  attributes.flatMap((one) => (one.key === key ? Object.values(one.value) : []))[0];
const spanless = { attributes: [] } as unknown as OtlpSpan;

/** Every span except the first has a parent in the same trace, and span ids are unique. */
function expectConnected(spans: readonly OtlpSpan[]): void {
  const ids = spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const [root, ...below] = spans;
  expect(root).not.toHaveProperty('parentSpanId');
  expect(below.filter(({ parentSpanId }) => !ids.includes(parentSpanId ?? ''))).toEqual([]);
  for (const { traceId, spanId } of spans) expect([traceId, spanId].join(' ')).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
}

verifies(
  'otel:bundle:emitted',
  'contains planning, verification, execution and scoring, under the trace id of the record',
  async () => {
    const bench = rig({
      tools: {
        reads: {},
        fails: {
          execute: () => {
            throw new Error('no such order');
          },
          retries_max: 0,
        },
        pays: { side_effect: true, approval_mode: 'destructive', gates: ['GATE_PAY'], produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 'a', tool: 'reads' },
          { id: 'b', tool: 'fails', depends_on: ['a'], optional: true },
          { id: 'c', tool: 'pays', depends_on: ['a'], requires: ['GATE_PAY'] },
        ]),
      ],
    });
    const { runId, pending } = await bench.invoke();
    const waitingSpans = spansIn(await bench.runtime.records.otel(runId));
    expectConnected(waitingSpans);
    expect(attributeOf(waitingSpans[0], 'ambit.terminal_code')).toBeUndefined();
    const [gate] = pending;
    const decided = { packetHash: gate?.packetHash ?? '', credential: operator('lead'), reason: 'ok' };
    const { record } = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', decided));

    const bundle = await bench.runtime.records.otel(runId);
    const spans = spansIn(bundle);
    expectConnected(spans);
    expect(attributeOf(spans[0], 'ambit.trace_id')).toBe(record?.trace_id);
    expect(spans[0]?.traceId).toBe(traceIdOf(sha256, record?.trace_id ?? ''));
    expect(attributeOf(spans[0], 'ambit.terminal_code')).toBe(record?.terminal_code);
    const names = spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['plan', 'verify plan', 'execute_tool reads', 'execute_tool pays']));
    expect(names).toEqual(expect.arrayContaining(['verify step', 'score step', 'score run', 'wait for GATE_PAY']));
    const failed = spans.find(({ name }) => name === 'execute_tool fails');
    expect(failed).toMatchObject({ status: { code: 2, message: 'error' } });
    expect(attributeOf(failed, 'gen_ai.tool.name')).toBe('fails');
    const [from, to] = [spans[0]?.startTimeUnixNano ?? '', spans[0]?.endTimeUnixNano ?? ''];
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect([from, startTimeUnixNano, endTimeUnixNano, to].toSorted()).toEqual([
        from,
        startTimeUnixNano,
        endTimeUnixNano,
        to,
      ]);
    // Nothing is measured for the export: it is the same each time.
    expect(await bench.runtime.records.otel(runId)).toEqual(bundle);
  },
);

verifies('otel:lanes:stitched', "two lanes are in their parent's trace, and every span has a parent", async () => {
  const bench = rig({
    tools: { north: { produces: ['north'] }, south: { produces: ['south'] }, report: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'north' },
        { id: 'b', tool: 'south' },
        { id: 'c', tool: 'report', depends_on: ['a', 'b'] },
      ]),
    ],
    caps: { ...CAPS, lanes_max: 10 },
    options: { limits: { parallelSteps: 2 } },
  });
  const { runId, record } = await bench.invoke();
  const spans = spansIn(await bench.runtime.records.otel(runId));
  expectConnected(spans);
  const lanes = record?.lanes ?? [];
  expect(lanes).toHaveLength(2);
  for (const { run_id, span_id } of lanes) {
    const laneSpan = spans.find(({ spanId }) => spanId === span_id);
    expect(laneSpan).toMatchObject({ parentSpanId: spans[0]?.spanId });
    expect(attributeOf(laneSpan, 'ambit.run_id')).toBe(run_id);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === span_id).map(({ name }) => name)).toContain(
      'verify plan',
    );
  }
});

test('uses a hexadecimal id as trace id, and hashes any other', () => {
  const digits = '865234fee26c4589be3130f1da7373a2';
  expect(traceIdOf(sha256, 'trace_865234fe-e26c-4589-be31-30f1da7373a2')).toBe(digits);
  expect(traceIdOf(sha256, 'trace_1')).toBe(sha256('trace_1').slice(0, 32));
});
