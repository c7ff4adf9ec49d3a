import { Fault } from '../model/fault.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';

export function specOf({ tools }: Pick<KernelEnv, 'tools'>, tool: string): ToolSpec {
  const spec = tools.get(tool);
  if (spec === undefined) throw new Fault('tool_not_allowed', `tool ${tool} is not in the registry of this run`);
  return spec;
}
