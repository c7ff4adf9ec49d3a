import { agent, ambit } from '../../src/compose.ts';
import { tool } from '../../src/gateway/tool/tool.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import { NO_COST } from '../../src/model/tool/tool.ts';
import type { Call, Case } from './cases.ts';

/** Offers calls to an agent with the tools of one case, each call as a separate run. */
export interface CallTester {
  /** Whether the call passed planning, verification and the gateway and reached the tool. */
  offer(call: Call): Promise<boolean>;
}

const TENANT = 'bfcl';
const YEAR_3000_MS = 32_503_680_000_000;

export function openCallTester({ tools }: Case): CallTester {
  let reached = 0;
  let next: Call | null = null;
  const planner = {
    propose: async ({ attempt }: { readonly attempt: number }) => {
      const call = attempt === 1 ? next : null;
      if (call === null) throw new Error('there is only one plan');
      return { proposal: planOf(call), author: 'model' as const, spent: NO_COST, contextTokens: 0 };
    },
  };
  const runtime = ambit({
    agent: agent({
      name: 'caller',
      planner,
      intents: [{ intent: 'call', description: 'Call one function', criteria: [CALLED] }],
      boundary: 'research',
      tools: tools.map(({ name, description, input_schema }) =>
        tool({
          name,
          description: description === '' ? name : description,
          approvalMode: 'read_only',
          inputSchema: input_schema,
          outputSchema: { type: 'object' },
          execute: () => {
            reached += 1;
            return {};
          },
          effects: { produces: ['answer'] },
          rules: { action: 'retrieve_document' },
        }),
      ),
    }),
  });
  return {
    offer: async (call) => {
      const before = reached;
      next = call;
      await runtime.invoke(requestFor(tools.map(({ name }) => name)));
      return reached > before;
    },
  };
}

const CALLED = { id: 'called', statement: 'The function was called.', evidence: 'answer' };

function planOf(call: Call): JsonObject {
  const steps = [{ id: 's1', tool: call.function, params: call.args }];
  return { plan_id: 'plan_1', intent: 'call', steps, decision_checkpoints: [] };
}

function requestFor(scopes: readonly string[]): RunRequest {
  const identity = { actor: 'caller_1', tenant_id: TENANT, roles: [], scopes, expires_at: YEAR_3000_MS };
  const goal = { statement: 'Call one function' };
  return { mode: 'standard', tenant_id: TENANT, agent: 'caller', intent: 'call', goal, identity };
}
