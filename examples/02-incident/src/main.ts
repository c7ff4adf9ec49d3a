/**
 * An incident: two workers run in parallel lanes with tools of an MCP server, the lead's Critic judges their results,
 * and the rollback waits for the person on call.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { ambit } from 'ambit';
import { fromMCP, type McpTools } from 'ambit/mcp';
import type { RunEvent } from 'ambit/records';
import { readLine } from '../../command-line.ts';
import { incident, incidentAgent } from './agents.ts';
import { HELP } from './help.ts';

/** Starts the operations server and binds its tools. */
const openOps = (): Promise<McpTools> =>
  fromMCP(
    { command: process.execPath, args: [fileURLToPath(new URL('./ops-server.ts', import.meta.url))] },
    {
      server: 'ops',
      trusted: true,
      usual: { trusted: true },
      labels: {
        query_logs: { produces: ['logs'], hazards: { action: 'query_logs' } },
        read_metrics: { produces: ['metrics'], hazards: { action: 'inspect_metrics' } },
        list_deploys: {
          produces: ['deploys'],
          hazards: { action: 'compare_deploys' },
          answers: { say: 'Release {current} was deployed at {deployed_at}.' },
        },
        roll_back: {
          approval_mode: 'destructive',
          gates: ['GATE_ONCALL'],
          produces: ['rollback'],
          answers: { say: 'The service {service} is running release {running} again.' },
          hazards: {
            action: 'production_rollback',
            blast_radius: 'One service, for all its users.',
            rollback: 'Deploy the newer release again.',
          },
        },
      },
    },
  );

const bold = (text: string): string => styleText('bold', text);
const dim = (value: unknown): string => styleText('dim', JSON.stringify(value));

async function play(ops: McpTools): Promise<void> {
  const lead = incidentAgent(new Map(ops.tools.map((tool) => [tool.spec.name, tool])));
  const runtime = ambit({ agents: [lead], limits: { parallelSteps: 2 } });
  console.log(bold(`"${String(incident.goal)}"`));
  const waiting = await runtime.invoke('incident_lead', incident);
  const events = async (): Promise<readonly RunEvent[]> =>
    (await runtime.records.frames(waiting.runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  const envelopes = (await events()).filter((event) => event.type === 'lane_returned');
  for (const { envelope } of envelopes) {
    const { lane_id, status, results, budget_used } = envelope as unknown as Envelope;
    console.log(`${styleText('green', lane_id)} ${status}, ${budget_used['tool_calls'] ?? 0} tool calls`);
    for (const { key, value } of results) console.log(`  ${key} ${dim(value)}`);
  }
  const [gate] = waiting.pending;
  assert.ok(gate, `no gate is open: ${waiting.why.join(' ')}`);
  console.log(`${bold(gate.name)} shows ${dim((await runtime.gates.packet(gate.packetHash))['parameters'])}`);
  const done = await runtime.approve(gate.gateId, {
    packetHash: gate.packetHash,
    credential: { kind: 'local_operator', name: 'oncall_olu' },
    reason: 'the errors began with the deployment',
  });
  console.log(`${done.terminalCode}, and the answer, which states the facts without a model:\n${done.text}`);
  console.log(styleText('dim', await runtime.records.account(done.runId)));

  assert.equal(envelopes.length, 2);
  assert.equal(done.status, 'completed');
  const calls = (await runtime.records.transcripts(done.runId)).map(({ call }) => call.tool);
  assert.deepEqual(calls.toSorted(), [
    'look_at_logs',
    'look_at_metrics',
    'ops.list_deploys',
    'ops.roll_back',
    'respond',
  ]);
  for (const { runId } of await runtime.sessions.list()) await runtime.records.replay(runId);
  console.log(styleText('dim', 'The lead and both lanes replay to the same bytes, each from its own journal.'));
  await runtime.close();
}

interface Envelope {
  readonly lane_id: string;
  readonly status: string;
  readonly results: readonly { readonly key: string; readonly value: unknown }[];
  readonly budget_used: Readonly<Record<string, number>>;
}

if (readLine('npm run example:incident', HELP, []) !== null) {
  const ops = await openOps();
  try {
    await play(ops);
  } finally {
    await ops.close();
  }
}
