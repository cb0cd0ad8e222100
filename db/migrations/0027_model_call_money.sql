CREATE TABLE "reservation_factors" (
	"account" text NOT NULL,
	"model" text NOT NULL,
	"factor" numeric(12, 2) NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reservation_factors_pkey" PRIMARY KEY("account","model"),
	CONSTRAINT "reservation_factors_factor" CHECK (factor > 1 and factor <> 'NaN')
);
--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "endpoint" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "error_detail" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "retry_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "sent_at" timestamp with time zone DEFAULT now();--> statement-breakpoint
comment on column model_calls.endpoint is 'Host and path that the call goes to; null: to no server, or not recorded.';--> statement-breakpoint
comment on column model_calls.error_detail is 'The error in our words: never the provider''s, which may quote a prompt or a key.';--> statement-breakpoint
comment on column model_calls.retry_at is 'When the question is put again after the error; null: it is not.';--> statement-breakpoint
comment on column model_calls.sent_at is 'Nothing of the call went out before; null: nothing has, so that its reservation is released when nobody makes it any more.';--> statement-breakpoint
comment on table reservation_factors is 'Models whose answers cost more than was set aside for them: their calls set aside factor times their estimate.';
