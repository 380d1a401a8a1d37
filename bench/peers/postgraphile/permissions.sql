-- The permissions of bench/leave.md for PostGraphile: row-level security on the tables of bench/by-hand, columns by GRANT.
-- Requests run as one of two roles, which `server.mjs` sets together with the person.
do $$ begin
  if not exists (select from pg_roles where rolname = 'desk_gateway') then
    create role desk_staff;
    create role desk_payroll in role desk_staff;
    create role desk_gateway login noinherit in role desk_staff, desk_payroll;
  end if;
end $$;
revoke all on all tables in schema public from public;
revoke all on function move_request from public;
create schema desk;
grant usage on schema public, desk to desk_gateway, desk_staff;
create function desk.person() returns uuid language sql stable parallel safe as
  $$ select nullif(current_setting('desk.person', true), '')::uuid $$;
-- Functions of the owner, because nobody can read managers and sessions.
create function desk.session(token bytea, out person uuid, out payroll boolean) language sql stable security definer as
  $$ select p.id, p.payroll from public.session s join public.people p on p.id = s.person_id
     where s.token_hash = token and s.expires_at > now() $$;
create function desk.team() returns uuid[] language sql stable parallel safe security definer as
  $$ select array(select id from public.people where id = desk.person() or manager_id = desk.person()) $$;

alter table request enable row level security;
create policy team on request for select to desk_staff using (employee_id = any ((select desk.team())::uuid[]));
create policy payroll on request for select to desk_payroll using (true);
create policy own on request for insert to desk_staff with check (employee_id = (select desk.person()));
alter table request alter employee_id set default desk.person(), alter created_by set default desk.person();
grant select (id, name) on people to desk_staff;
grant select (id, version, employee_id, kind, first_day, last_day, days, note, status, created_at, updated_at)
  on request to desk_staff;
grant insert (kind, first_day, last_day, note) on request to desk_staff;

-- The history of a creation. That of a transition is in `move_request`.
create function desk.tell() returns trigger language plpgsql security definer as $$ begin
  insert into public.audit (person_id, entity, record_id, action, data) values (new.employee_id, 'Request', new.id, 'create',
    jsonb_build_object('kind', new.kind, 'first_day', new.first_day, 'last_day', new.last_day, 'note', new.note));
  return null;
end $$;
create trigger tell after insert on request for each row execute function desk.tell();

-- Transitions are functions; PostGraphile makes a mutation of each. The rules in them are those of the server by hand.
create function desk.move(id uuid, act text) returns public.request language plpgsql security definer as $$
declare
  done record;
  moved public.request;
begin
  select * into done from public.move_request(id, desk.person(), current_setting('desk.payroll', true) = 'true', act);
  if done.outcome is not null then raise exception using message = done.outcome; end if;
  select * into moved from public.request r where r.id = move.id;
  return moved;
end $$;
create function submit(id uuid) returns request language sql volatile as $$ select desk.move(id, 'submit') $$;
create function "grant"(id uuid) returns request language sql volatile as $$ select desk.move(id, 'grant') $$;
