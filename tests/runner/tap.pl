#!/usr/bin/perl
# tap.pl JOBS LOGS <LIST - runs the tests of a list, as many at a time as JOBS says. A line of the list is
#
#   NAME <tab> with|alone|last <tab> COMMAND...
#
# The harness is that of prove (TAP::Harness, which comes with perl): a test that prints no plan, fewer
# results than its plan, or nothing, fails. First run those that run with others, then those that are
# alone, one after another, then the last.
# Ends with what was skipped, what failed and the first lines that say why, and a line of counts. Exit status 1 if anything failed.
use strict;
use warnings;
use TAP::Harness;
use constant MORE => 8; # lines of a failure that are shown at the end

my ($jobs, $logs) = @ARGV;
my (@names, %named, %command);
while (<STDIN>) {
    chomp;
    my ($name, $how, @words) = split /\t/;
    push @names, $name;
    push @{ $named{$how} }, $name;
    $command{$name} = \@words;
}
sub log_of { my $name = shift; $name =~ tr{/ }{__}; return "$logs/$name" }

my $harness = TAP::Harness->new({
    jobs => $jobs,
    timer => 1,
    color => -t STDOUT,
    rules => { seq => [map { { ($_ eq 'with' ? 'par' : 'seq') => $named{$_} } } grep { $named{$_} } qw(with alone last)] },
    exec => sub { my $name = $_[1]; return ['tests/runner/one.sh', log_of($name), @{ $command{$name} }] },
});

my $sum = $harness->runtests(@names);
my ($passed, $skipped, $failed, $again) = (0, 0, 0, 0);
my (@wrong, @skips);
for my $name (@names) {
    my ($test) = $sum->parsers($name);
    my (@no, @why);
    if (open my $in, '<', log_of($name)) {
        my $more = 0; # lines that may still say why
        my $said = ''; # a program of cmocka says it before
        while (<$in>) {
            $said = $_ if /^ERROR: /;
            $more = 0 if /^(?:not ok|ok|1\.\.)\b/;
            $no[-1] .= '    ' . substr($_, 0, 150) =~ s/\n?$/\n/r if $more-- > 0;
            push @why, $1 if /^(?:ok\b.*?|1\.\.0 *)# SKIP\S*\s*(.*)/i;
            next unless /^not ok\b(?!.*# TODO)/;
            push @no, substr("$name: $_", 0, 300) =~ s/\n?$/\n/r;
            $no[-1] .= '    ' . substr($said, 0, 150) =~ s/\n?$/\n/r if $said;
            ($more, $said) = (MORE, '');
        }
    }
    $again++ if -e log_of($name) . '.first';
    $skipped += @why;
    push @skips, map { "skipped: $name: $_\n" } @why;
    $passed += scalar($test->actual_passed) - scalar($test->skipped);
    $failed += scalar(@no);
    push @wrong, @no;
    next unless $test->has_problems && !@no;
    $failed++;
    my $what = join('; ', $test->parse_errors);
    $what .= ($what ? '; ' : '') . 'exit status ' . $test->exit if $test->exit;
    push @wrong, "$name: $what (" . log_of($name) . ")\n";
}
print @skips, @wrong;
print "$passed passed, $skipped skipped, $failed failed", $again ? ", $again set up twice" : '', "\n";
exit($failed > 0);
