import { isJsonList } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import { saysSomething, textAt } from '../../model/rules/operation.ts';
import type { SandboxCodeRules } from '../../model/rules/sandbox-code.ts';
import { type CategoryCheck, FREE, gated, incomplete } from './finding.ts';

/** Code runs freely where it is on record with what it was given and its limits. Under `strict`, not if it may change files. */
export const sandboxCodeCheck: CategoryCheck<SandboxCodeRules> = (rules, { args }) => {
  if (textAt(args, rules.code) === null) return incomplete(`the call holds no code at ${rules.code}`);
  const unsaid = [rules.inputs, rules.limits].find((pointer) => jsonAt(args, pointer) === undefined);
  if (unsaid !== undefined) return incomplete(`the call says nothing at ${unsaid}`);
  const files = rules.files === undefined ? undefined : jsonAt(args, rules.files);
  if (!saysSomething(files) || files === false || rules.mutation === 'free') return FREE;
  const shown = files !== undefined && isJsonList(files) ? files : [files ?? null];
  return gated('the code may change files', { files: shown });
};
