CREATE TABLE "rate_accounts" (
	"account" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"state" jsonb NOT NULL,
	"set_requests" double precision,
	"set_tokens" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rate_accounts_set" CHECK (set_requests > 0 and set_tokens > 0)
);
--> statement-breakpoint
CREATE TABLE "rate_tickets" (
	"account" text NOT NULL,
	"ticket" text NOT NULL,
	"batch_id" text NOT NULL,
	"status" text NOT NULL,
	"tokens" bigint NOT NULL,
	"arrived_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"granted_at" timestamp with time zone,
	"charged" bigint,
	"ended_at" timestamp with time zone,
	CONSTRAINT "rate_tickets_status" CHECK (status in ('waiting', 'granted', 'settled', 'limited'))
);
--> statement-breakpoint
ALTER TABLE "rate_tickets" ADD CONSTRAINT "rate_tickets_account_rate_accounts_account_fk" FOREIGN KEY ("account") REFERENCES "public"."rate_accounts"("account") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rate_tickets_ticket" ON "rate_tickets" USING btree ("account","ticket");--> statement-breakpoint
CREATE UNIQUE INDEX "rate_tickets_one_waiting" ON "rate_tickets" USING btree ("account","ticket") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "rate_tickets_granted" ON "rate_tickets" USING btree ("account","granted_at");--> statement-breakpoint
CREATE INDEX "rate_tickets_waiting" ON "rate_tickets" USING btree ("account","arrived_at") WHERE status = 'waiting';--> statement-breakpoint
comment on table rate_accounts is 'Accounts at model providers: token buckets and limits, shared by all workers. Never holds a key.';
--> statement-breakpoint
comment on table rate_tickets is 'Calls to providers that wait for their grant, were granted in the last two minutes, or were refused for their rate in the last hour.';
