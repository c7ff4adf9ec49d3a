import { type CompileSchema, unfitDefaults } from '../../kernel/index.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/** The warnings that this process has written. */
const WRITTEN = new Set<string>();

/** Warns once of each default of a tool that does not fit its own schema. To JSON Schema a default is an annotation. */
export function warnOfUnfitDefaults(specs: readonly ToolSpec[], compile: CompileSchema): void {
  for (const { name, input_schema, source } of specs) {
    if (source !== undefined) continue;
    for (const pointer of unfitDefaults(input_schema, compile)) {
      const warning = `tool ${name}: the default of ${pointer} does not fit its own schema, so it is not filled in`;
      if (WRITTEN.has(warning)) continue;
      WRITTEN.add(warning);
      process.emitWarning(warning, { type: 'AmbitWarning', code: 'AMBIT_UNFIT_DEFAULT' });
    }
  }
}
