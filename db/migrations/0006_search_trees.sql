CREATE TABLE "search_trees" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"policy" text NOT NULL,
	"max_nodes" integer NOT NULL,
	"max_validations" integer NOT NULL,
	"cost_limit_usd" numeric(20, 10),
	"token_limit" bigint NOT NULL,
	"seconds_limit" integer NOT NULL,
	"stopped" text,
	"chosen" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp with time zone,
	CONSTRAINT "search_trees_batch_unique" UNIQUE("batch_id"),
	CONSTRAINT "search_trees_limits" CHECK (max_nodes > 0 and max_validations > 0 and token_limit >= 0 and seconds_limit >= 0),
	CONSTRAINT "search_trees_stopped" CHECK (stopped in ('policy', 'lost', 'nodes', 'validations', 'cost', 'tokens', 'seconds', 'budget')),
	CONSTRAINT "search_trees_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "search_trees_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "search_nodes" (
	"tree_run_id" text NOT NULL,
	"node" integer NOT NULL,
	"run_id" text NOT NULL,
	"wave" integer NOT NULL,
	"operator" text NOT NULL,
	"parent" integer,
	"mate" integer,
	"status" text DEFAULT 'open' NOT NULL,
	"value" double precision,
	"reserved_usd" numeric(20, 10),
	"reserved_tokens" bigint NOT NULL,
	"reserved_seconds" integer NOT NULL,
	"spent_usd" numeric(20, 10),
	"spent_tokens" bigint,
	"spent_seconds" double precision,
	"validations" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "search_nodes_pkey" PRIMARY KEY("tree_run_id","node"),
	CONSTRAINT "search_nodes_run_unique" UNIQUE("run_id"),
	CONSTRAINT "search_nodes_operator" CHECK (operator in ('draft', 'improve', 'debug', 'crossover')),
	CONSTRAINT "search_nodes_status" CHECK (status in ('open', 'scored', 'failed', 'lost')),
	CONSTRAINT "search_nodes_settled" CHECK ((status = 'open') = (settled_at is null)),
	CONSTRAINT "search_nodes_value" CHECK ((status = 'scored') = (value is not null)),
	CONSTRAINT "search_nodes_order" CHECK (parent < node and mate < node),
	CONSTRAINT "search_nodes_tree_run_id_search_trees_run_id_fk" FOREIGN KEY ("tree_run_id") REFERENCES "public"."search_trees"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "search_nodes_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "nodes_of" text;
--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_nodes_of_batches_batch_id_fk" FOREIGN KEY ("nodes_of") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "batches_nodes_of" ON "batches" USING btree ("nodes_of") WHERE nodes_of is not null;