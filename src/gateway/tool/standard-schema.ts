import type { Json, JsonObject } from '../../model/json/json.ts';

/** The part of Standard Schema and Standard JSON Schema (standardschema.dev) that a tool needs. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: StandardConverter;
  };
}

export interface StandardConverter {
  input(options: { readonly target: string }): Record<string, unknown>;
  output(options: { readonly target: string }): Record<string, unknown>;
}

export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema of any library that yields JSON Schema, or JSON Schema itself. */
export type ToolSchema = StandardSchema | JsonObject;

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } } ? NonNullable<T> : never;

/** The type that `execute` receives: the output type of the input schema. */
export type Received<S> = StandardOutput<S, JsonObject>;

/** The output type of a schema; `Plain` for plain JSON Schema. */
export type StandardOutput<S, Plain> = S extends StandardSchema ? TypesOf<S>['output' & keyof TypesOf<S>] : Plain;

/** The type that `execute` returns: the input type of the output schema. */
export type Returned<S> = S extends StandardSchema ? TypesOf<S>['input' & keyof TypesOf<S>] : Json;

/** Accepts functions too, because the schemas of some libraries are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isObject = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  if (!isObject || !('~standard' in schema)) return false;
  const standard: unknown = schema['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}
