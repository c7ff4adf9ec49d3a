import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';

/** The two dialects that tools are really described in. A schema that names none is read as the newer one. */
const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

/**
 * Keywords this version does not know are annotations, as the standard says, and so is `format`.
 * `ownProperties`: an object does not have a property because its prototype has. Nothing is coerced, filled in or removed.
 */
const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
};

type Make = new (options: Options) => Ajv | Ajv2020;

export interface Dialect {
  /** What is wrong with a schema as a schema; null when nothing is. */
  problemOf(schema: JsonObject): string | null;
  /** A compiler that has seen no other schema: `$id`s of one tool must not resolve inside another's. */
  compiler(): Ajv | Ajv2020;
}

function dialect(make: Make): Dialect {
  let meta: Ajv | Ajv2020 | null = null;
  return {
    problemOf: (schema) => {
      meta ??= new make(OPTIONS);
      return meta.validateSchema(schema) === true ? null : meta.errorsText(meta.errors, { dataVar: '' });
    },
    compiler: () => new make({ ...OPTIONS, meta: false, validateSchema: false }),
  };
}

/** Finds the dialect of a schema. Made once for each check, because learning a dialect takes a tenth of a second. */
export function dialects(): (schema: JsonObject) => Dialect {
  const known: ReadonlyMap<unknown, Dialect> = new Map([
    [DRAFT_2020_12, dialect(Ajv2020)],
    [DRAFT_07, dialect(Ajv)],
  ]);
  return ({ $schema = DRAFT_2020_12 }) => {
    const found = known.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
    if (found !== undefined) return found;
    const names = [...known.keys()].join(' and ');
    throw new Fault('input_invalid', `/$schema: ${JSON.stringify($schema)} is not supported; ${names} are`, {
      path: '/$schema',
    });
  };
}
