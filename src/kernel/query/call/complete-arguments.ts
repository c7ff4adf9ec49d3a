import type { JsonObject } from '../../../model/json/json.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';

/** The arguments of a call with the defaults of its tool. Older runs also take defaults that do not fit their schema. */
export const completeArguments = (env: KernelEnv, state: RunState, tool: string, args: JsonObject): JsonObject =>
  env.tools.complete(tool, args, hasRule(state, 'unfit_defaults_ignored') ? 'ignored' : 'used');
