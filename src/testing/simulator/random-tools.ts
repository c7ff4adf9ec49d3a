import { APPROVAL_MODES, type ApprovalMode, runsInline } from '../../model/approval-mode.ts';
import type { Idempotency, ToolSpec } from '../../model/tool.ts';
import type { Prng } from './prng.ts';
import { TOOL_SHAPES, type ToolShape } from './tool-shapes.ts';

export const GATES = ['GATE_FINANCE', 'GATE_SECURITY', 'GATE_OWNER'] as const;

/** Three to all of the shapes, each with a character of its own. */
export function randomTools(prng: Prng): readonly ToolSpec[] {
  const chosen = prng.some(TOOL_SHAPES, 0.6);
  const shapes = chosen.length >= 3 ? chosen : TOOL_SHAPES.slice(0, 3);
  return withProbes(
    prng,
    shapes.map((each) => randomTool(prng, each)),
  );
}

/** Some tools that change something have another that can look at what they did. */
function withProbes(prng: Prng, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const lookers = tools.filter(({ approval_mode, side_effect }) => approval_mode === 'read_only' && !side_effect);
  const [first, ...others] = lookers;
  if (first === undefined) return tools;
  return tools.map((tool) => {
    if (!tool.side_effect) return tool;
    const reconcile = prng.chance(0.4) ? { reconcile: prng.pick([first, ...others]).name } : {};
    const verify = prng.chance(0.2) ? { verify: prng.pick([first, ...others]).name } : {};
    const compensate = prng.chance(0.4) ? { compensate: prng.pick([tool, ...tools]).name } : {};
    return { ...tool, probes: { ...reconcile, ...verify, ...compensate } };
  });
}

function randomTool(prng: Prng, { name, category, inputSchema, outputSchema, evidence, asserts }: ToolShape): ToolSpec {
  const approval_mode = randomMode(prng);
  const asserted = asserts !== null && prng.chance(0.5) ? [asserts] : [];
  const supplied = prng.chance(0.95) ? [evidence] : [];
  return {
    name,
    version: '1',
    description: `The simulated tool ${name}`,
    approval_mode,
    category,
    input_schema: inputSchema,
    output_schema: outputSchema,
    active: !prng.chance(0.01),
    external: prng.chance(0.4),
    side_effect: prng.chance(approval_mode === 'read_only' ? 0 : 0.8),
    trusted: prng.chance(0.7),
    gates: randomGates(prng, approval_mode),
    produces: [...new Set([...supplied, ...asserted.map(({ type }) => type)])],
    asserts: asserted,
    needs: [],
    idempotency: randomIdempotency(prng),
    timeout_ms: prng.int(1, 30) * 1000,
    retries_max: prng.int(0, 3),
    cost: {
      input_tokens: prng.chance(0.5) ? 0 : prng.int(1, 300),
      output_tokens: prng.chance(0.5) ? 0 : prng.int(1, 100),
      microusd: prng.chance(0.5) ? 0 : prng.int(1, 50_000),
    },
    ...(name === 'policy.read' && prng.chance(0.2) ? { argument_allow: { topic: ['refunds', 'mail'] } } : {}),
  };
}

function randomMode(prng: Prng): ApprovalMode {
  return prng.chance(0.5) ? 'read_only' : prng.pick(APPROVAL_MODES);
}

function randomGates(prng: Prng, mode: ApprovalMode): readonly string[] {
  if (runsInline(mode)) return prng.chance(0.1) ? [prng.pick(GATES)] : [];
  return prng.some(GATES, 0.45);
}

function randomIdempotency(prng: Prng): Idempotency {
  const kind = prng.pick(['key', 'natural', 'none'] as const);
  return kind === 'key' ? { kind, retention_ms: prng.pick([20_000, 60_000, 600_000, 86_400_000]) } : { kind };
}
